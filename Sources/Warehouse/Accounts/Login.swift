import Catalog
import ColumnStore
import Platform
import SQLTypes

/// What servers need to let users in.
extension Warehouse {
    /// The stored password of a user who may log in with one now; nil for users that do not exist, have none, or whose
    /// time is over. Callers must not let a client tell these apart.
    package func passwordSecret(of name: String) -> PasswordSecret? {
        guard let user = store.snapshot().catalog.accounts.user(named: name), let password = user.password else {
            return nil
        }
        if let end = user.validUntilMicroseconds, end <= time.wallMicroseconds() { return nil }
        return PasswordSecret(stored: password.stored)
    }

    /// Seconds without a statement after which the user's sessions are to end; nil: the server decides.
    package func sessionTimeoutSeconds(of name: String) -> Int? {
        store.snapshot().catalog.accounts.user(named: name)?.sessionTimeoutSeconds
    }

    /// Whether anybody can log in with a password.
    package var hasLogins: Bool { store.snapshot().catalog.accounts.users.values.contains { $0.password != nil } }

    /// Sets passwords of users, and makes those that are not there as ordinary users.
    ///
    /// - Parameter logins: passwords may be `md5...` and SCRAM verifiers; rules for passwords do not hold here.
    package func provision(_ logins: [(user: String, password: String)]) throws {
        var catalog = store.snapshot().catalog
        for login in logins {
            let stored: String
            if PasswordSecret(stored: login.password) != nil {
                stored = login.password
            } else if let known = catalog.accounts.user(named: login.user)?.password,
                PasswordSecret(stored: known.stored)?.accepts(password: login.password, user: login.user) ?? false
            {
                continue
            } else {
                stored = ScramKeys(password: login.password, salt: random.bytes(16)).stored
            }
            let id = catalog.accounts.userID(named: login.user) ?? catalog.accounts.makeID()
            var user = catalog.accounts.users[id] ?? UserDefinition(id: id, name: login.user)
            user.password = PasswordVerifier(stored: stored)
            catalog.accounts.users[id] = user
        }
        if catalog == store.snapshot().catalog { return }
        var change = StoreChange()
        change.catalog = catalog
        try store.commit(change)
    }
}
