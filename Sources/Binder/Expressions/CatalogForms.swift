import QueryPlan
import SQLSyntax
import SQLTypes

/// What catalog queries write and user tables do not have: casts to REGCLASS and its relatives, and arrays, which are
/// their text (`{1,2}`) here.
struct CatalogForms {
    let binder: ExpressionBinder

    init(_ binder: ExpressionBinder) { self.binder = binder }

    private var calls: SignatureCall { SignatureCall(binder.session) }

    /// nil for casts to ordinary types.
    func cast(_ node: CastExpression) throws -> BoundExpression? {
        if node.type.arrayDepth > 0 {
            let given = try binder.bind(node.value)
            let value = try binder.coercion.resolved(given)
            guard value.type.isString else { return nil }
            if let type = elementType(node.type) {
                note(given, elements: type)
                binder.session.origins.note(array: value, ArrayTypeID.array(of: type))
            }
            return value
        }
        let functions: (ofText: String?, ofNumber: String)
        switch node.type.name {
        case "regclass": functions = ("regclass_oid", "regclass_name")
        case "regtype": functions = ("regtype_oid", "regtype_name")
        case "regnamespace": functions = ("regnamespace_oid", "regnamespace_name")
        // Columns of this type hold the function's name.
        case "regproc", "regoper", "regoperator": functions = (nil, "regproc_name")
        case "regprocedure": functions = (nil, "regprocedure_name")
        default: return nil
        }
        let value = try binder.coercion.resolved(try binder.bind(node.value))
        guard let name = value.type.isString ? functions.ofText : functions.ofNumber else { return value }
        guard let call = try calls.resolve(name, [value], at: node.position) else {
            throw SQLError(
                .cannotCoerce, "cannot cast type \(value.type.nameWithoutModifiers) to \(node.type.name)",
                at: node.position)
        }
        return call
    }

    /// nil for types that are no values' here: of catalogs.
    private func elementType(_ type: ParsedTypeName) -> SQLType? {
        TypeDescriptor.named(type.name)?.standard
    }

    /// A parameter that the statement takes for an array.
    private func note(_ expression: BoundExpression, elements: SQLType) {
        guard case .parameter(let number, _) = expression else { return }
        let array = ArrayTypeID.array(of: elements)
        binder.session.parameterArrays[number] = binder.session.parameterArrays[number] ?? array
    }

    func array(_ node: ElementList) throws -> BoundExpression {
        let members = try node.elements.map { try binder.coercion.resolved(try binder.bind($0)) }
        guard !members.isEmpty else { return .constant(.text("{}"), .varchar(2)) }
        guard let call = try calls.resolve("make_array_text", members, at: node.position) else {
            throw binder.unsupported("this ARRAY constructor", node.position)
        }
        if let type = CommonType.of(members) {
            binder.session.origins.note(array: call, ArrayTypeID.array(of: type))
        }
        return call
    }

    /// `ARRAY(query)`: the texts of its rows, in their order; the query is aggregated to one row.
    func array(of node: ScalarSubquery) throws -> BoundExpression {
        let bound = try SubqueryBinder(binder).query(node.query)
        guard bound.outputs.count == 1 else {
            throw SQLError(.syntaxError, "subquery must return only one column", at: node.position)
        }
        let session = binder.session
        let column = try binder.coercion.resolved(.column(bound.outputs[0].id, bound.outputs[0].type))
        let text = try binder.coercion.cast(column, to: Self.text, .explicit, at: node.position)
        let list = AggregateCall(
            function: .listAggregate, arguments: [text, .constant(.text(","), .varchar(1))], type: Self.text)
        let listed = session.makeColumn()
        let result = session.makeColumn()
        let grouped = LogicalPlan.aggregate(
            LogicalAggregate(groups: [], aggregates: [.init(id: listed, call: list)], input: bound.plan))
        let opened = BoundExpression.call(
            .concatenate, [.constant(.text("{"), .varchar(1)), .column(listed, Self.text)], Self.text)
        let closed = BoundExpression.call(.concatenate, [opened, .constant(.text("}"), .varchar(1))], Self.text)
        let subquery = BoundSubquery(
            kind: .scalar, plan: .project([ProjectedColumn(id: result, expression: closed)], grouped),
            outputs: [OutputColumn(id: result, name: "array", type: Self.text)], outerColumns: bound.outerColumns,
            type: Self.text)
        let value = BoundExpression.call(
            .coalesce, [.subquery(subquery), .constant(.text("{}"), Self.text)], Self.text)
        session.origins.note(array: value, ArrayTypeID.array(of: column.type))
        return value
    }
    private static let text = SQLType.varchar(SQLType.maximumVarcharLength)

    /// `array[1]`; nil where the base is no text.
    func element(_ node: NavigationExpression) throws -> BoundExpression? {
        guard node.steps.count == 1, case .index(let index) = node.steps[0] else { return nil }
        let base = try binder.bind(node.base)
        guard base.type.isString else { return nil }
        return try calls.resolve("array_element_text", [base, try binder.bind(index)], at: node.position)
    }

    /// `(record).x` and `.n` of `_pg_expandarray`; nil for other fields.
    func field(_ node: NavigationExpression) throws -> BoundExpression? {
        guard node.steps.count == 1, case .field(let name) = node.steps[0],
            let place = ArrayExpansion.fields.firstIndex(of: name.text)
        else { return nil }
        let base = try binder.bind(node.base)
        guard base.type.isString else { return nil }
        let arguments: [BoundExpression] = [
            .call(.trimBoth, [base, .constant(.text("()"), .varchar(2))], base.type),
            .constant(.text(","), .varchar(1)), .constant(.integer(Int128(place + 1)), .integer),
        ]
        guard let text = try calls.resolve("split_part", arguments, at: node.position) else { return nil }
        return try binder.coercion.cast(text, to: .integer, .explicit, at: node.position)
    }

    /// `x = ANY (array)` and `x <> ALL (array)`.
    func quantified(_ node: QuantifiedExpression) throws -> BoundExpression {
        let isMember = node.symbol == .equal && node.quantifier == .any
        guard isMember || node.symbol == .notEqual && node.quantifier == .all,
            case .array(let operand) = node.operand
        else {
            throw binder.unsupported(
                "\(node.symbol.rawValue) \(node.quantifier.rawValue) over arrays", node.position)
        }
        if case .array(let list) = operand, !list.elements.isEmpty {
            let value = try binder.bind(node.value)
            let matches = try list.elements.map {
                try binder.comparison.compare(.equal, value, try binder.bind($0), at: node.position)
            }
            let isIn = matches.count == 1 ? matches[0] : BoundExpression.or(matches)
            return isMember ? isIn : .not(isIn)
        }
        let arguments = [try binder.bind(operand), try binder.bind(node.value)]
        if let known = try known(arguments[0], arguments[1], node) { return isMember ? known : .not(known) }
        if case .parameter = arguments[0] {
            note(arguments[0], elements: arguments[1].type)
            // Its value says what is compared: each execution binds with its own.
            binder.session.noteDependence()
        }
        guard let call = try calls.resolve("array_contains_text", arguments, at: node.position) else {
            throw OperatorError.noOperator("= ANY", arguments[1].type, arguments[0].type, at: node.position)
        }
        return isMember ? call : .not(call)
    }

    /// An array that is known: its members are literals of the value's type.
    private func known(
        _ array: BoundExpression, _ value: BoundExpression, _ node: QuantifiedExpression
    ) throws -> BoundExpression? {
        guard let constant = array.asConstant else { return nil }
        guard case .string(let bytes) = constant else { return .constant(.null, .boolean) }
        let members = ArrayText.members(bytes)
        if members.isEmpty { return .constant(.boolean(false), .boolean) }
        let literals = members.map { BoundExpression.constant($0.map { .string($0) } ?? .null, .unknown) }
        return try binder.inList(
            value, literals, places: members.map { _ in node.position }, at: node.position)
    }
}
