import Binder
import Catalog
import ColumnStore
import QueryPlan
import SQLTypes

/// Functions by every name and list of arguments, operators and casts, from the tables that the binder asks.
enum FunctionRelations {
    static let all: [SystemRelation] = [
        SystemRelation(
            "svv_redshift_functions",
            """
            database_name varchar(128), schema_name varchar(128), function_name varchar(128),
            function_type varchar(128), argument_type varchar(512), result_type varchar(128)
            """,
            rows: { snapshot, sink in
                for function in functions {
                    try sink.add([
                        .text(snapshot.database), .text("pg_catalog"), .text(function.name), .text(function.kind),
                        .text(function.arguments), .text(function.result),
                    ])
                }
                for procedure in snapshot.store.catalog.allProcedures {
                    try sink.add([
                        .text(snapshot.database), .text(procedure.schema), .text(procedure.name),
                        .text("stored procedure"), .text(procedure.inputList),
                        .text(procedure.outputs.count == 1 ? procedure.outputs[0].typeWord : ""),
                    ])
                }
                for function in snapshot.store.catalog.allFunctions {
                    try sink.add([
                        .text(snapshot.database), .text(function.schema), .text(function.name),
                        .text("regular function"),
                        .text(function.parameters.map(\.nameWithoutModifiers).joined(separator: ", ")),
                        .text(function.result.nameWithoutModifiers),
                    ])
                }
            }),
        SystemRelation(
            "pg_operator",
            """
            oid oid, oprname name, oprnamespace oid, oprowner int, oprkind "char", oprcanhash bool, oprleft oid,
            oprright oid, oprresult oid, oprcom oid, oprnegate oid, oprcode regproc, oprrest regproc, oprjoin regproc
            """, rows: operators),
        SystemRelation(
            "pg_cast",
            """
            oid oid, castsource oid, casttarget oid, castfunc oid, castcontext "char", castmethod "char",
            tableoid oid
            """, rows: casts),
    ]

    // MARK: Functions

    private struct Function: Sendable {
        var name: String
        var kind: String
        var arguments: String
        var result: String
    }

    private static let functions: [Function] = {
        var functions: [Function] = []
        func add(
            _ names: [String], _ kind: String, _ parameters: [Parameter], variadic: Bool = false, _ result: ResultRule
        ) {
            for list in ArgumentLists.all(parameters, isVariadic: variadic) {
                let title = ArgumentLists.result(result, list)
                for name in names {
                    functions.append(
                        Function(
                            name: name, kind: kind, arguments: list.map(\.title).joined(separator: ", "),
                            result: title))
                }
            }
        }
        for signature in FunctionTable.signatures {
            let names = signature.names.filter { isWord($0) && SpecialForm.named($0)?.overloads == nil }
            add(names, "regular function", signature.parameters, variadic: signature.isVariadic, signature.result)
        }
        for form in SpecialForm.all {
            for parameters in form.overloads ?? [] { add(form.names, "regular function", parameters, form.result) }
        }
        for aggregate in AggregateSignature.all {
            let names = aggregate.names.filter { !$0.contains(" ") }
            add(names, "aggregate function", aggregate.parameters, aggregate.result)
        }
        for window in WindowSignature.all {
            add(window.names, "window function", window.parameters, window.result)
        }
        for (name, types) in TableFunctions.signatures {
            add([name], "table function", types.map { Parameter(.exactly($0)) }, .argument(0))
        }
        return functions
    }()

    private static func isWord(_ name: String) -> Bool { name.utf8.first.map { $0 >= 97 && $0 <= 122 } ?? false }

    // MARK: Operators

    private static func operators(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let comparisons = ["=", "<>", "<", "<=", ">", ">="]
        for (typeIndex, type) in [16, 20, 21, 23, 25, 26, 700, 701, 1042, 1043, 1082, 1114, 1184, 1700].enumerated() {
            for (index, name) in comparisons.enumerated() {
                try sink.add(
                    row(9_500 + typeIndex * 8 + index, name, left: type, right: type, result: 16, isHash: name == "="))
            }
        }
        var id = 9_700
        for signature in FunctionTable.signatures {
            for list in ArgumentLists.all(signature.parameters, isVariadic: false) where (1...2).contains(list.count) {
                let result = TypeCatalog.id(named: ArgumentLists.result(signature.result, list)) ?? 2276
                for name in signature.names where !isWord(name) {
                    let left = list.count == 2 ? list[0].oid : 0
                    try sink.add(row(id, name, left: left, right: list[list.count - 1].oid, result: result))
                    id += 1
                }
            }
        }
    }

    /// Without a left side it is a prefix.
    private static func row(
        _ id: Int, _ name: String, left: Int, right: Int, result: Int, isHash: Bool = false
    ) -> [Datum] {
        [
            .number(id), .text(name), .number(11), .number(1), .text(left == 0 ? "l" : "b"), .boolean(isHash),
            .number(left), .number(right), .number(result), .zero, .zero, .text("-"), .text("-"), .text("-"),
        ]
    }

    // MARK: Casts

    private static let castTypes = TypeDescriptor.all.map(\.standard).filter { $0 != .unknown }

    private static func casts(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        var id = 11_500
        for source in castTypes {
            for target in castTypes where target != source {
                guard let context = context(from: source, to: target) else { continue }
                try sink.add([
                    .number(id), .number(TypeCatalog.id(of: source)), .number(TypeCatalog.id(of: target)), .zero,
                    .text(context), .text("f"), .number(2605),
                ])
                id += 1
            }
        }
    }

    private static func context(from source: SQLType, to target: SQLType) -> String? {
        if CastRules.canCast(from: source, to: target, context: .implicit) { return "i" }
        if CastRules.canCast(from: source, to: target, context: .assignment) { return "a" }
        return CastRules.canCast(from: source, to: target, context: .explicit) ? "e" : nil
    }
}

/// The lists of arguments that a function's parameters stand for: without the optional ones, with them, and a class of
/// types by its members. What takes every type is `"any"`.
enum ArgumentLists {
    struct Argument: Sendable {
        var title: String
        var oid: Int
        /// For rules that compute the result's type.
        var sample: SQLType
    }

    /// Repeated parameters stand up to this often.
    private static let maximumRepeats = 3

    static func all(_ parameters: [Parameter], isVariadic: Bool) -> [[Argument]] {
        var lists: [[Argument]] = [[]]
        var result: [[Argument]] = []
        let required = parameters.count { !$0.isOptional }
        if required == 0 { result = lists }
        let last = parameters.last.map { isVariadic ? Array(repeating: $0, count: maximumRepeats - 1) : [] } ?? []
        for (index, parameter) in (parameters + last).enumerated() {
            let members = members(parameter.accepts)
            lists = lists.flatMap { list in members.map { list + [$0] } }
            if index + 1 >= required { result += lists }
        }
        return result
    }

    static func result(_ rule: ResultRule, _ list: [Argument]) -> String {
        let any = "\"any\""
        switch rule {
        case .fixed(let type): return type.nameWithoutModifiers
        case .argument(let index): return index < list.count ? list[index].title : any
        case .computed(let compute):
            return list.contains { $0.title == any } ? any : compute(list.map(\.sample)).nameWithoutModifiers
        }
    }

    private static func members(_ accepts: ArgumentClass) -> [Argument] {
        switch accepts {
        case .exactly(let type): [argument(type)]
        case .anyInteger: [argument(.smallint), argument(.integer), argument(.bigint)]
        case .decimal: [argument(.defaultDecimal)]
        case .string, .text, .datePart: [argument(.text)]
        case .bytes: [argument(TypeDescriptor.varbyte.standard)]
        case .semistructured, .superValue: [argument(.semistructured)]
        case .any, .common: [Argument(title: "\"any\"", oid: 2276, sample: .text)]
        }
    }

    private static func argument(_ type: SQLType) -> Argument {
        Argument(title: type.nameWithoutModifiers, oid: TypeCatalog.id(of: type), sample: type)
    }
}
