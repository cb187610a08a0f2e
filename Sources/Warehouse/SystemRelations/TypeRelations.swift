import Catalog
import ColumnStore
import QueryPlan
import SQLTypes

/// Types, functions as PostgreSQL lists them, and languages.
enum TypeRelations {
    static let all: [SystemRelation] = [
        SystemRelation(
            "pg_type",
            """
            oid oid, typname name, typnamespace oid, typowner int, typlen smallint, typbyval bool, typtype "char",
            typisdefined bool, typdelim "char", typrelid oid, typelem oid, typinput regproc, typoutput regproc,
            typreceive regproc, typsend regproc, typanalyze regproc, typalign "char", typstorage "char",
            typnotnull bool, typbasetype oid, typtypmod int, typndims int, typdefaultbin text, typdefault text,
            typarray oid, typcategory "char", typcollation oid, typacl aclitem[],
            tableoid oid
            """, rows: types),
        SystemRelation(
            "pg_proc",
            """
            oid oid, proname name, pronamespace oid, proowner int, prolang oid, proisagg bool, prosecdef bool,
            proisstrict bool, proretset bool, provolatile "char", pronargs smallint, prorettype oid,
            proargtypes oidvector, proargnames text[], prosrc text, probin text, proacl aclitem[], prokind "char",
            proargmodes "char"[], proallargtypes oid[], proiswindow bool, prosupport regproc
            """, rows: functions),
        SystemRelation(
            "pg_proc_info",
            """
            prooid oid, proname name, pronamespace oid, proowner int, prolang oid, proisagg bool, proretset bool,
            pronargs smallint, prorettype oid, proargtypes oidvector, proargnames text[], prosrc text, prokind "char",
            proargmodes "char"[], proallargtypes oid[]
            """,
            rows: { snapshot, sink in
                for function in builtIn + made(snapshot) {
                    try sink.add([
                        .number(function.id), .text(function.name), .number(function.namespace),
                        .number(function.owner), .number(function.language),
                        .boolean(function.kind == "a"), .no, .number(function.arguments.count),
                        .number(function.result), .text(function.argumentList), function.names,
                        .text(function.source ?? function.name), .text(function.kind), function.modes,
                        function.allTypes,
                    ])
                }
            }),
        SystemRelation(
            "pg_language",
            """
            oid oid, lanname name, lanispl bool, lanpltrusted bool, lanplcallfoid oid, lanvalidator oid,
            lanacl aclitem[],
            lanowner int, tableoid oid, laninline oid
            """, rows: languages),
        SystemRelation(
            "pg_am", "oid oid, amname name, amhandler regproc, amtype \"char\"",
            rows: { _, sink in try sink.add([.number(403), .text("btree"), .text("bthandler"), .text("i")]) }),
        SystemRelation(
            "pg_opclass",
            """
            oid oid, opcamid oid, opcname name, opcnamespace oid, opcowner int, opcintype oid, opcdefault bool,
            opckeytype oid, opcmethod oid, opcfamily oid, tableoid oid
            """),
        SystemRelation("pg_aggregate", "aggfnoid regproc, aggtransfn regproc, aggfinalfn regproc, aggtranstype oid"),
        SystemRelation(
            "pg_collation",
            """
            oid oid, collname name, collnamespace oid, collowner oid, collencoding int, collcollate name,
            collctype name
            """),
        SystemRelation("pg_library", "name name, language_oid oid, file_store_id int, owner int"),
    ]

    private static func types(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for entry in TypeCatalog.all {
            let isArray = entry.name.hasPrefix("_")
            let isVector = entry.id == 22 || entry.id == 30
            let input = isArray ? "array_in" : entry.name + "in"
            let output = isArray ? "array_out" : entry.name + "out"
            let isPseudo = [2249, 2275, 2276, 2277, 2278, 2279].contains(entry.id)
            let array = TypeCatalog.all.first { $0.element == entry.id && $0.name.hasPrefix("_") }
            let first: [Datum] = [
                .number(entry.id), .text(entry.name), .number(11), .number(1), .number(entry.length),
                .boolean(entry.isByValue), .text(isPseudo ? "p" : "b"), .yes, .text(","), .zero,
                .number(entry.element), .text(input), .text(output),
                .text(isArray ? "array_recv" : entry.name + "recv"),
            ]
            let second: [Datum] = [
                .text(isArray ? "array_send" : entry.name + "send"), .text("-"), .text(entry.alignment),
                .text(entry.storage), .no, .zero, .number(-1), .zero, .null, .null,
                .number(isArray ? 0 : array?.id ?? 0),
                .text(category(entry, isArray: isArray || isVector)), .zero, .null,
                .number(1247),
            ]
            try sink.add(first + second)
        }
    }

    private static func category(_ entry: TypeCatalog.Entry, isArray: Bool) -> String {
        if isArray { return "A" }
        switch entry.id {
        case 16: return "B"
        case 18, 19, 25, 1042, 1043: return "S"
        case 20, 21, 23, 24, 26, 700, 701, 1700: return "N"
        case 702, 1082, 1083, 1114, 1184, 1266: return "D"
        case 1186, 1188, 1190: return "T"
        default: return "U"
        }
    }

    private struct Function: Sendable {
        var id: Int
        var name: String
        var arguments: [Int]
        var result: Int
        var isStrict: Bool
        var volatility: String
        var kind: String
        var namespace = 11
        var owner = 1
        var language = 12
        /// nil: its name.
        var source: String?
        var access = Datum.null
        var isDefiner = false
        /// Of procedures: all arguments, those that come back included.
        var names = Datum.null
        var modes = Datum.null
        var allTypes = Datum.null
        var argumentList: String { arguments.map(String.init).joined(separator: " ") }
    }

    /// One row a name and overload; arguments that take many types are `any`.
    private static let builtIn: [Function] = {
        var functions: [Function] = []
        for (index, signature) in FunctionTable.signatures.enumerated() {
            guard let name = signature.names.first, name.utf8.first.map({ $0 >= 97 && $0 <= 122 }) ?? false else {
                continue
            }
            let result = signature.result.type(for: signature.parameters.map { sampleType($0.accepts) })
            let volatility: String
            switch signature.volatility {
            case .immutable: volatility = "i"
            case .stable: volatility = "s"
            case .volatile: volatility = "v"
            }
            functions.append(
                Function(
                    id: 10_500 + index, name: name, arguments: signature.parameters.map { argumentType($0.accepts) },
                    result: TypeCatalog.id(of: result), isStrict: signature.isStrict, volatility: volatility,
                    kind: "f"))
        }
        for (index, signature) in AggregateSignature.all.enumerated() {
            guard let name = signature.names.first else { continue }
            functions.append(
                Function(
                    id: 9_000 + index, name: name, arguments: [2276], result: 2276, isStrict: false, volatility: "i",
                    kind: "a"))
        }
        return functions
    }()

    /// What CREATE FUNCTION has made.
    private static func made(_ snapshot: SystemSnapshot) -> [Function] {
        let namespaces = snapshot.namespaceIDs
        let procedures = snapshot.store.catalog.allProcedures.map { made($0, snapshot, namespaces) }
        return procedures
            + snapshot.store.catalog.allFunctions.map { function in
                Function(
                    id: Int(function.id.raw), name: function.name,
                    arguments: function.parameters.map { TypeCatalog.id(of: $0) },
                    result: TypeCatalog.id(of: function.result), isStrict: false,
                    volatility: function.volatility.rawValue, kind: "f", namespace: namespaces[function.schema] ?? 0,
                    owner: function.owner, language: 14, source: function.body,
                    access: snapshot.accessText(.routine(function.id)))
            }
    }

    private static func made(
        _ procedure: ProcedureDefinition, _ snapshot: SystemSnapshot, _ namespaces: [String: Int]
    ) -> Function {
        func id(_ parameter: ProcedureDefinition.Parameter) -> Int {
            parameter.isCursor ? 1790 : TypeCatalog.id(of: parameter.type)
        }
        func list(_ items: [String]) -> Datum { .text("{" + items.joined(separator: ",") + "}") }
        let outputs = procedure.outputs
        var function = Function(
            id: Int(procedure.id.raw), name: procedure.name, arguments: procedure.inputs.map(id),
            result: outputs.count == 1 ? id(outputs[0]) : outputs.isEmpty ? 2278 : 2249, isStrict: false,
            volatility: "v", kind: "p", namespace: namespaces[procedure.schema] ?? 0, owner: procedure.owner,
            language: 10_050, source: procedure.body, access: snapshot.accessText(.procedure(procedure.id)),
            isDefiner: procedure.isDefiner)
        if procedure.parameters.contains(where: { $0.name != nil }) {
            function.names = list(procedure.parameters.map { CatalogArray.quoted($0.name ?? "") })
        }
        if !outputs.isEmpty {
            function.modes = list(procedure.parameters.map(\.mode.letter))
            function.allTypes = list(procedure.parameters.map { String(id($0)) })
        }
        return function
    }

    private static func functions(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for function in builtIn + made(snapshot) {
            let first: [Datum] = [
                .number(function.id), .text(function.name), .number(function.namespace), .number(function.owner),
                .number(function.language),
                .boolean(function.kind == "a"), .boolean(function.isDefiner), .boolean(function.isStrict), .no,
                .text(function.volatility),
                .number(function.arguments.count), .number(function.result),
            ]
            let second: [Datum] = [
                .text(function.argumentList), function.names, .text(function.source ?? function.name), .text("-"),
                function.access,
                .text(function.kind),
                function.modes, function.allTypes, .no, .text("-"),
            ]
            try sink.add(first + second)
        }
    }

    private static func argumentType(_ kind: ArgumentClass) -> Int {
        switch kind {
        case .exactly(let type): TypeCatalog.id(of: type)
        case .anyInteger: 20
        case .decimal: 1700
        case .string, .text, .datePart: 1043
        case .bytes: TypeCatalog.id(of: .varbyte(1))
        case .semistructured, .superValue: TypeCatalog.id(of: .semistructured)
        case .any, .common: 2276
        }
    }
    private static func sampleType(_ kind: ArgumentClass) -> SQLType {
        switch kind {
        case .exactly(let type): type
        case .anyInteger: .bigint
        case .decimal: .defaultDecimal
        case .bytes: TypeDescriptor.varbyte.standard
        case .semistructured, .superValue: .semistructured
        default: .text
        }
    }

    private static func languages(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for (id, name) in [(12, "internal"), (13, "c"), (14, "sql"), (10_050, "plpgsql"), (10_051, "plpythonu")] {
            try sink.add([
                .number(id), .text(name), .boolean(id >= 10_000), .boolean(id >= 14), .zero, .zero, .null, .number(1),
                .number(2612), .zero,
            ])
        }
    }
}
