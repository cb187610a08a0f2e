import QueryPlan
import SQLTypes

/// What functions such as CURRENT_USER answer: fixed when the statement starts.
package struct SessionFacts: Sendable {
    package var user: String
    package var database: String
    package var schema: String
    package var processID: Int
    package var version: String
    /// Values of parameters, for CURRENT_SETTING.
    package var settings: @Sendable (String) throws -> String
    /// Answers questions about the catalog: names and definitions by oid, visibility, privileges. One call a row.
    package var catalog: @Sendable (ScalarFunction, [Datum]) throws -> Datum

    package init(
        user: String = "dev", database: String = "dev", schema: String = "public", processID: Int = 0,
        version: String = "PostgreSQL 8.0.2 on x86_64-pc-linux-gnu, compiled by Swift, Redshift 1.0.0 (Redbarn)",
        settings: @escaping @Sendable (String) throws -> String = { name in
            throw SQLError(.undefinedObject, "unrecognized configuration parameter \"\(name)\"")
        },
        catalog: @escaping @Sendable (ScalarFunction, [Datum]) throws -> Datum = { function, _ in
            throw SQLError(.featureNotSupported, "\(function.rawValue) is not known where the query runs")
        }
    ) {
        self.user = user
        self.database = database
        self.schema = schema
        self.processID = processID
        self.version = version
        self.settings = settings
        self.catalog = catalog
    }

    /// CURRENT_SETTING: NULL for a session's variable that is not set, where the caller asks for that.
    func setting(_ name: String, errorIfUndefined: Bool) throws -> Datum {
        do {
            return .text(try settings(name))
        } catch let error as SQLError where error.state == .undefinedObject && !errorIfUndefined {
            return .null
        }
    }

    /// The constant that a call stands for; nil for all other functions.
    func value(of function: ScalarFunction, _ arguments: [BoundExpression]) throws -> Datum? {
        switch function {
        case .currentUser: return .text(user)
        case .currentDatabase: return .text(database)
        case .currentSchema: return .text(schema)
        case .version: return .text(version)
        case .backendPID: return .integer(Int128(processID))
        case .currentSetting:
            guard case .constant(.string(let name), _)? = arguments.first else { return nil }
            let failing: Bool
            switch arguments.dropFirst().first {
            case nil: failing = true
            case .constant(.null, _)?: return .null
            case .constant(let value, _)?: failing = value != .boolean(false)
            default: return nil
            }
            return try setting(String(decoding: name, as: UTF8.self), errorIfUndefined: failing)
        default: return nil
        }
    }
}
