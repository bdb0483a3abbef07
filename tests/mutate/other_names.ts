/** The names that could be written by mistake for a name: another variable in reach, another property, of the same type. */

import ts from "typescript";

/** Those of the same type as what stands at a node; none where no value is read by its name. */
export function otherNames(node: ts.Node, checker: ts.TypeChecker): readonly string[] {
  if (!ts.isIdentifier(node) || !isRead(node)) return [];
  const type = checker.getTypeAtLocation(node);
  const { parent } = node;
  const names = ts.isPropertyAccessExpression(parent) && parent.name === node
    ? dataProperties(parent, checker)
    : variablesInReach(node);
  const prefix = ts.isShorthandPropertyAssignment(parent) ? `${node.text}: ` : "";
  return names.filter((other) => other.name !== node.text && isSameType(other.type(checker), type, checker))
    .map(({ name }) => prefix + name);
}

interface Candidate {
  readonly name: string;
  readonly type: (checker: ts.TypeChecker) => ts.Type;
}

/** Whether an identifier stands where a value is read, and not where something is declared, called, or set. */
function isRead(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) {
    const isCalled = ts.isCallExpression(parent.parent) && parent.parent.expression === parent;
    return parent.name === node ? !isCalled && !isTarget(parent) : true;
  }
  if (ts.isCallExpression(parent)) return parent.arguments.includes(node);
  if (ts.isPropertyAssignment(parent)) return parent.initializer === node;
  if (ts.isVariableDeclaration(parent)) return parent.initializer === node;
  if (ts.isBinaryExpression(parent)) return !isTarget(node);
  return ts.isReturnStatement(parent) || ts.isShorthandPropertyAssignment(parent) ||
    ts.isArrayLiteralExpression(parent) || ts.isSpreadElement(parent) ||
    ts.isTemplateSpan(parent) || ts.isElementAccessExpression(parent) || ts.isConditionalExpression(parent) ||
    ts.isPrefixUnaryExpression(parent) || ts.isParenthesizedExpression(parent) ||
    ts.isNonNullExpression(parent);
}

function isTarget(node: ts.Node): boolean {
  const { parent } = node;
  return ts.isBinaryExpression(parent) && parent.left === node &&
    parent.operatorToken.kind >= ts.SyntaxKind.FirstAssignment &&
    parent.operatorToken.kind <= ts.SyntaxKind.LastAssignment;
}

function dataProperties(access: ts.PropertyAccessExpression, checker: ts.TypeChecker): readonly Candidate[] {
  return checker.getTypeAtLocation(access.expression).getProperties()
    .filter(({ flags, name }) => (flags & ts.SymbolFlags.Property) !== 0 && !name.startsWith("__"))
    .map((symbol) => ({
      name: symbol.name,
      type: (types) => types.getTypeOfSymbolAtLocation(symbol, access),
    }));
}

/** Parameters and variables of the functions around a node that are declared before it. */
function variablesInReach(node: ts.Node): readonly Candidate[] {
  const names: ts.BindingName[] = [];
  for (let around: ts.Node = node; !ts.isSourceFile(around); around = around.parent) {
    if (ts.isFunctionLike(around)) names.push(...around.parameters.map(({ name }) => name));
    if (!ts.isBlock(around.parent)) continue;
    for (const statement of around.parent.statements) {
      if (statement.pos >= around.pos) break;
      if (ts.isVariableStatement(statement)) {
        names.push(...statement.declarationList.declarations.map(({ name }) => name));
      }
    }
  }
  return names.flatMap(bound).map((name) => ({
    name: name.text,
    type: (checker) => checker.getTypeAtLocation(name),
  }));
}

function bound(name: ts.BindingName): readonly ts.Identifier[] {
  if (ts.isIdentifier(name)) return [name];
  return name.elements.flatMap((element) => ts.isBindingElement(element) ? bound(element.name) : []);
}

function isSameType(left: ts.Type, right: ts.Type, checker: ts.TypeChecker): boolean {
  if (((left.flags | right.flags) & ts.TypeFlags.Any) !== 0) return false;
  const [wideLeft, wideRight] = [
    checker.getBaseTypeOfLiteralType(left),
    checker.getBaseTypeOfLiteralType(right),
  ];
  return checker.isTypeAssignableTo(wideLeft, wideRight) && checker.isTypeAssignableTo(wideRight, wideLeft);
}
