import QueryPlan
import SQLTypes

/// Names and types of the system relations (STL_, STV_, SVV_, pg_catalog, information_schema ...) that the session can
/// produce rows for.
package protocol SystemRelationSchema: Sendable {
    /// The columns of a system relation, nil when there is none of this name. Without a schema the caller asks for a
    /// bare name as users write it: `stl_query`, `pg_class`.
    func columns(ofRelation name: String, schema: String?) -> [SystemColumn]?
    /// The oid of a system relation, as `pg_class` has it; 0 when there is none of this name.
    func relationID(_ name: String, schema: String?) -> Int
    /// Names for "did you mean" hints.
    var relationNames: [String] { get }
    /// The lists of arguments that a function in FROM takes; empty when there is none of this name.
    func tableFunctionSignatures(_ name: String) -> [[SQLType]]
    /// A function in FROM with these constant arguments, which have the types of one of its signatures; nil when there
    /// is none of this name.
    func tableFunction(_ name: String, _ arguments: [Datum]) throws -> SystemTableFunction?
    /// The value of a function that asks the catalog, where a constant is needed at bind time; nil: not known here.
    func value(of function: ScalarFunction, _ arguments: [Datum]) throws -> Datum?
}

extension SystemRelationSchema {
    package func relationID(_ name: String, schema: String?) -> Int { 0 }
    package func tableFunctionSignatures(_ name: String) -> [[SQLType]] { [] }
    package func tableFunction(_ name: String, _ arguments: [Datum]) throws -> SystemTableFunction? { nil }
    package func value(of function: ScalarFunction, _ arguments: [Datum]) throws -> Datum? { nil }
}

/// A call of a function in FROM: the session produces its rows from name and arguments.
package struct SystemTableFunction: Hashable, Sendable {
    package var name: String
    package var arguments: [Datum]
    package var columns: [SystemColumn]
    package init(name: String, arguments: [Datum], columns: [SystemColumn]) {
        self.name = name
        self.arguments = arguments
        self.columns = columns
    }

    func scan(alias: String, columns: [OutputColumn]) -> LogicalSystemScan {
        LogicalSystemScan(
            relation: name, arguments: arguments, alias: alias, columns: columns, indexes: Array(columns.indices))
    }
}

package struct SystemColumn: Hashable, Sendable {
    package var name: String
    package var type: SQLType
    /// `pg_type`'s oid of an array, whose value is its text; 0 for others.
    package var arrayID: Int32
    package init(_ name: String, _ type: SQLType, arrayID: Int32 = 0) {
        self.name = name
        self.type = type
        self.arrayID = arrayID
    }
}

/// For catalogs without system relations.
package struct NoSystemRelations: SystemRelationSchema {
    package init() {}
    package func columns(ofRelation name: String, schema: String?) -> [SystemColumn]? { nil }
    package var relationNames: [String] { [] }
}
