import Catalog
import SQLSyntax

package struct BoundCreateDatabase: Sendable {
    package var definition: DatabaseDefinition
}

package struct BoundAlterDatabase: Sendable {
    package enum Change: Sendable {
        case name(String)
        /// A user's id.
        case owner(Int)
        case connectionLimit(Int?)
        case collation(DatabaseDefinition.Collation)
        case isolation(IsolationLevel)
    }
    package var database: DatabaseDefinition
    package var changes: [Change]
}

package struct BoundDropDatabase: Sendable {
    package var databases: [DatabaseDefinition]
    /// With IF EXISTS: names that no database has.
    package var missing: [String]
    /// All that are in them.
    package var tables: [ObjectID] = []
}

/// USE: where the session's names are looked up from now on.
package struct BoundUse: Sendable {
    package var database: DatabaseDefinition
}
