/** Finds every break that a file allows, from its syntax and its types. */

import ts from "typescript";
import type { Break, BreakKind } from "./break.ts";
import { findSqlBreaks } from "./sql_breaks.ts";
import { otherNames } from "./other_names.ts";

const { SyntaxKind } = ts;

const OPPOSITE = new Map<ts.SyntaxKind, string>([
  [SyntaxKind.EqualsEqualsEqualsToken, "!=="],
  [SyntaxKind.ExclamationEqualsEqualsToken, "==="],
  [SyntaxKind.LessThanToken, ">="],
  [SyntaxKind.LessThanEqualsToken, ">"],
  [SyntaxKind.GreaterThanToken, "<="],
  [SyntaxKind.GreaterThanEqualsToken, "<"],
]);

const OTHER_BOUND = new Map<ts.SyntaxKind, string>([
  [SyntaxKind.LessThanToken, "<="],
  [SyntaxKind.LessThanEqualsToken, "<"],
  [SyntaxKind.GreaterThanToken, ">="],
  [SyntaxKind.GreaterThanEqualsToken, ">"],
]);

/** All breaks of a file, in the order of its text. */
export function findBreaks(file: string, source: ts.SourceFile, checker: ts.TypeChecker): readonly Break[] {
  const breaks: Break[] = [];
  const add = (kind: BreakKind, start: number, end: number, replacement: string): void => {
    breaks.push({ kind, file, start, end, replacement });
  };
  const visit = (node: ts.Node): void => {
    if (isOutside(node)) return;
    const put = (kind: BreakKind, replacement: string, at: ts.Node = node): void =>
      add(kind, at.getStart(source), at.getEnd(), replacement);
    breakOperator(node, put);
    breakStatement(node, put);
    breakWaiting(node, put);
    breakConstant(node, put);
    swapArguments(node, put);
    for (const name of otherNames(node, checker)) put("variable", name);
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) {
      const start = node.getStart(source) + 1;
      for (const change of findSqlBreaks(node.getText(source).slice(1, -1))) {
        add("sql", start + change.start, start + change.end, change.replacement);
      }
    }
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(source, visit);
  return breaks.toSorted((left, right) => left.start - right.start);
}

/** Adds a break of a kind: what stands instead of a node, the one that is looked at unless another is named. */
type Put = (kind: BreakKind, replacement: string, at?: ts.Node) => void;

/** What holds no behaviour: types, imports, and what an error says. */
function isOutside(node: ts.Node): boolean {
  return ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) ||
    ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeParameterDeclaration(node) ||
    (ts.isNewExpression(node) && node.expression.getText().endsWith("Error"));
}

function breakOperator(node: ts.Node, put: Put): void {
  if (ts.isBinaryExpression(node)) {
    const { operatorToken, left, right } = node;
    const opposite = OPPOSITE.get(operatorToken.kind);
    if (opposite !== undefined) put("comparison", opposite, operatorToken);
    const bound = OTHER_BOUND.get(operatorToken.kind);
    if (bound !== undefined) put("boundary", bound, operatorToken);
    const isJoined = operatorToken.kind === SyntaxKind.AmpersandAmpersandToken ||
      operatorToken.kind === SyntaxKind.BarBarToken;
    if (isJoined) { for (const side of [left, right]) put("condition", `(${side.getText()})`); }
  } else if (ts.isConditionalExpression(node)) {
    for (const side of [node.whenTrue, node.whenFalse]) put("condition", `(${side.getText()})`);
  } else if (ts.isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken) {
    put("condition", node.operand.getText());
  }
}

function breakStatement(node: ts.Node, put: Put): void {
  const isLone = ts.isExpressionStatement(node) && !ts.isStringLiteral(node.expression) &&
    node.expression.getText().split("(")[0] !== "super";
  const isGuard = ts.isIfStatement(node) && node.elseStatement === undefined;
  const isJump = ts.isContinueStatement(node) || (ts.isBreakStatement(node) && !ts.isCaseClause(node.parent));
  if (isLone || isGuard || isJump) put("statement", ";");
}

function breakWaiting(node: ts.Node, put: Put): void {
  if (ts.isAwaitExpression(node)) put("await", node.expression.getText());
  if (ts.isYieldExpression(node) && node.asteriskToken !== undefined) {
    put("await", node.expression!.getText());
  }
}

function breakConstant(node: ts.Node, put: Put): void {
  if (ts.isNumericLiteral(node)) {
    put("constant", `(${node.getText()} + 1)`);
    put("constant", `(${node.getText()} - 1)`);
  } else if (node.kind === SyntaxKind.TrueKeyword) put("constant", "false");
  else if (node.kind === SyntaxKind.FalseKeyword) put("constant", "true");
}

function swapArguments(node: ts.Node, put: Put): void {
  if (!ts.isCallExpression(node)) return;
  const texts = node.arguments.map((argument) => argument.getText());
  for (let index = 0; index + 1 < texts.length; index++) {
    if (texts[index] === texts[index + 1]) continue;
    const swapped = texts.with(index, texts[index + 1]!).with(index + 1, texts[index]!);
    put("argument", `${node.expression.getText()}(${swapped.join(", ")})`);
  }
}
