/// What privileges are kept for.
package enum SecuredObject: Hashable, Sendable {
    case database(ObjectID)
    case schema(ObjectID)
    /// A table or view.
    case relation(ObjectID)
    /// A column by ``ColumnDefinition/id``; columns of views count from 0.
    case column(ObjectID, Int32)
    /// A function.
    case routine(ObjectID)
    /// Only its owner may call it at first.
    case procedure(ObjectID)
    case language(String)
    /// All objects of a kind in a schema or in a database, those to come included: GRANT ... FOR TABLES IN.
    case scope(ObjectKindInScope, in: ObjectID)

    /// The relation that the object is or belongs to.
    package var relation: ObjectID? {
        switch self {
        case .relation(let id), .column(let id, _): id
        default: nil
        }
    }

    /// What ALL means.
    package var allPrivileges: PrivilegeSet {
        switch self {
        case .database: .allOnDatabase
        case .schema, .scope(.schemas, _): .allOnSchema
        case .relation, .scope(.tables, _): .allOnRelation
        case .column: .allOnColumn
        case .routine, .procedure, .scope(.functions, _), .scope(.procedures, _): .execute
        case .language, .scope(.languages, _): .usage
        }
    }
}

package enum ObjectKindInScope: UInt8, Hashable, Sendable {
    case tables, schemas, functions, procedures, languages
}

/// Who holds a privilege.
package enum PrivilegeHolder: Hashable, Sendable {
    /// PUBLIC.
    case everyone
    case user(Int)
    case group(Int)
    case role(Int)
}
