import Catalog
import ColumnStore
import SQLSyntax
import SQLTypes

/// In whose name a session's statements run.
extension StatementExecution {
    /// The accounts that statements are checked against: the newest ones, so that changes count at once, or those of a
    /// block that has changed them itself.
    var accounts: AccountCatalog {
        if let block = session.transaction, block.changesDefinitions { return block.snapshot(store).catalog.accounts }
        return store.snapshot().catalog.accounts
    }

    /// A session outlives the drop of its user, but does nothing more than end its block: a later user of the same name
    /// is another one. PostgreSQL's error for ids of users that are no more.
    ///
    /// - Parameter statement: nil: a query.
    func checkUser(_ statement: Statement?) throws {
        if case .transaction(let node)? = statement, node.command == .rollback { return }
        let newest = store.snapshot().catalog.accounts
        if newest.users[session.authenticatedUser] == nil { throw droppedUser(session.authenticatedName) }
        if newest.users[session.effectiveUser] != nil || isMadeByBlock(session.effectiveUser) { return }
        if case .set(let node)? = statement, node.name == "session_authorization" { return }
        if case .reset(let node)? = statement, node.name == "session_authorization" { return }
        throw droppedUser(session.settings["session_authorization"])
    }

    private func droppedUser(_ name: String) -> SQLError {
        SQLError(.undefinedObject, "user \"\(name)\" does not exist", detail: "The session's user has been dropped.")
    }

    /// By the session's own block, which others do not see.
    private func isMadeByBlock(_ id: Int) -> Bool {
        guard let block = session.transaction, block.changesDefinitions, let base = block.base else { return false }
        return id >= base.catalog.accounts.nextID && block.snapshot(store).catalog.accounts.users[id] != nil
    }

    /// The user in whose name the statement runs. One that has been dropped keeps its name and has no rights.
    var user: UserDefinition {
        if let known = knownUser { return known }
        let found =
            accounts.users[session.effectiveUser]
            ?? UserDefinition(id: session.effectiveUser, name: session.settings["session_authorization"])
        knownUser = found
        return found
    }

    var rights: AccessRights { AccessRights(user, accounts) }

    /// SET SESSION AUTHORIZATION and its way back. Superusers may become anybody, others only who they are.
    func setSessionUser(_ value: SetStatement.Value) throws {
        if let procedure = session.procedure, procedure.definers > 0 {
            throw SQLError(
                .insufficientPrivilege,
                "cannot set parameter \"session_authorization\" within security-definer procedure")
        }
        let accounts = accounts
        guard let own = accounts.users[session.authenticatedUser] else {
            throw SQLError(.insufficientPrivilege, "permission denied to set session authorization")
        }
        var chosen = own
        if case .list(let values) = value {
            guard values.count == 1, case .string(let name)? = values.first?.value else {
                throw SQLError(.syntaxError, "SET SESSION AUTHORIZATION takes the name of a user")
            }
            if name != own.name && !own.isSuperuser {
                throw SQLError(.insufficientPrivilege, "permission denied to set session authorization")
            }
            guard let found = accounts.user(named: name) else {
                throw SQLError(.undefinedObject, "user \"\(name)\" does not exist")
            }
            chosen = found
        }
        session.effectiveUser = chosen.id
        session.changeSettings { $0.report(chosen) }
        try handler.end(tag: "SET")
    }
}
