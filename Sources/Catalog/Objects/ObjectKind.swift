/// The kinds of objects that live in schemas. Each is a row of ``facts``, which DROP, RENAME, OWNER TO, SET SCHEMA,
/// COMMENT, GRANT, SHOW and the system catalogs read; its definition is a file of its own (``ObjectDefinition``), and
/// so is its stored form (ColumnStore's `CatalogCodec` has the tags).
package enum ObjectKind: Hashable, Sendable, CaseIterable {
    case table, view, materializedView, function, procedure, copyJob

    package struct Facts: Sendable {
        /// As messages call it; in capitals, as statements do.
        package let noun: String
        /// What privileges are kept for.
        package let secured: @Sendable (ObjectID) -> SecuredObject
        /// What GRANT ... FOR ALL of them in a scope calls them.
        package let scope: ObjectKindInScope
        /// What ALTER DEFAULT PRIVILEGES gives to new ones.
        package let defaults: DefaultPrivilegeKey.Kind
        /// The system privilege to make and to drop them anywhere.
        package let creation: String
        package let removal: String
        /// pg_class's `relkind`; nil: not in pg_class.
        package let relationKind: String?
        /// information_schema's word for it.
        package let standardName: String
    }

    package var facts: Facts {
        switch self {
        case .table: ObjectKind.tableFacts
        case .view: ObjectKind.viewFacts
        case .materializedView: ObjectKind.materializedViewFacts
        case .function: ObjectKind.functionFacts
        case .procedure: ObjectKind.procedureFacts
        case .copyJob: ObjectKind.copyJobFacts
        }
    }

    private static let tableFacts = Facts(
        noun: "table", secured: { .relation($0) }, scope: .tables, defaults: .relation, creation: "CREATE TABLE",
        removal: "DROP TABLE", relationKind: "r", standardName: "BASE TABLE")
    private static let viewFacts = Facts(
        noun: "view", secured: { .relation($0) }, scope: .tables, defaults: .relation,
        creation: "CREATE OR REPLACE VIEW",
        removal: "DROP VIEW", relationKind: "v", standardName: "VIEW")
    private static let materializedViewFacts = Facts(
        noun: "materialized view", secured: { .relation($0) }, scope: .tables, defaults: .relation,
        creation: "CREATE OR REPLACE VIEW",
        removal: "DROP VIEW", relationKind: "v", standardName: "VIEW")
    private static let functionFacts = Facts(
        noun: "function", secured: { .routine($0) }, scope: .functions, defaults: .function,
        creation: "CREATE OR REPLACE FUNCTION",
        removal: "DROP FUNCTION", relationKind: nil, standardName: "FUNCTION")

    private static let procedureFacts = Facts(
        noun: "procedure", secured: { .procedure($0) }, scope: .procedures, defaults: .procedure,
        creation: "CREATE OR REPLACE PROCEDURE",
        removal: "DROP PROCEDURE", relationKind: nil, standardName: "PROCEDURE")

    /// Only its owner and superusers have anything to do with a job; there are no privileges on it.
    private static let copyJobFacts = Facts(
        noun: "copy job", secured: { .routine($0) }, scope: .functions, defaults: .function, creation: "", removal: "",
        relationKind: nil, standardName: "COPY JOB")

    package var noun: String { facts.noun }
    /// As it stands behind DROP.
    package var words: String { noun.uppercased() }

    /// - Parameter words: as a statement names the kind, in capitals.
    package init?(words: String) {
        guard let kind = ObjectKind.allCases.first(where: { $0.words == words }) else { return nil }
        self = kind
    }
}
