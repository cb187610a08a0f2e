import Binder
import Catalog
import ColumnStore
import Platform
import SQLSyntax
import SQLTypes

// Users, groups, roles and privileges: every statement changes the catalog's ``AccountCatalog`` and nothing else.

extension AccountStatement: StatementProgram {
    var kind: StatementKind { StatementKind(tag) }
    var effects: StatementEffects { .definition() }
    /// Every change has its rule in ``AccountChange``, superusers' too.
    func check(_ rights: StatementRights) {}

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        try execution.commitAccounts { try $0.perform(self) }
        try execution.handler.end(tag: kind.name)
    }
}

extension BoundGrant: StatementProgram {
    var kind: StatementKind {
        if case .defaults = subject { return StatementKind("ALTER DEFAULT PRIVILEGES") }
        return StatementKind(isRevoke ? "REVOKE" : "GRANT")
    }
    var effects: StatementEffects { .definition() }
    /// See ``AccountChange``.
    func check(_ rights: StatementRights) {}

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        try execution.commitAccounts { try $0.perform(self) }
        try execution.handler.end(tag: kind.name)
    }
}

extension StatementExecution {
    /// Outside of a block a change that meets another one of the same thing is worked out again.
    fileprivate func commitAccounts(_ body: (inout AccountChange) throws -> Void) throws {
        while true {
            var notices: [String] = []
            do {
                try commit { catalog in
                    var change = AccountChange(
                        catalog: catalog, rights: rights, session: session.authenticatedUser,
                        passwordEncryption: session.settings["password_encryption"], random: warehouse.random,
                        datetime: datetime)
                    try body(&change)
                    catalog = change.catalog
                    notices = change.notices
                }
                for notice in notices { handler.notice(notice) }
                return
            } catch let error as SQLError where error.state == "40001" && !transaction.isExplicit {
                try cancellation.check()
            }
        }
    }
}

/// One statement's change of accounts, checked against the rights of who asks for it.
struct AccountChange {
    var catalog: CatalogSnapshot
    let rights: AccessRights
    /// The id of the user that the session logged in as.
    let session: Int
    /// The session's `password_encryption`.
    let passwordEncryption: String
    /// For salts.
    let random: SharedRandom
    /// The session's zone and the statement's time.
    let datetime: DatetimeContext
    var notices: [String] = []

    var accounts: AccountCatalog {
        get { catalog.accounts }
        set { catalog.accounts = newValue }
    }

    mutating func perform(_ statement: AccountStatement) throws {
        switch statement {
        case .createUser(let node): try createUser(node)
        case .alterUser(let node): try alterUser(node)
        case .createGroup(let node): try createGroup(node)
        case .alterGroup(let node): try alterGroup(node)
        case .createRole(let node): try createRole(node)
        case .alterRole(let node): try alterRole(node)
        case .grantRole(let node): try grantRoles(node)
        case .drop(let node): try drop(node)
        }
    }

    private mutating func drop(_ node: DropStatement) throws {
        let noun = node.kind.rawValue.lowercased()
        for target in node.targets {
            let name = target.name.last
            let exists =
                switch node.kind {
                case .user: accounts.user(named: name.text) != nil
                case .group: accounts.group(named: name.text) != nil
                default: accounts.role(named: name.text) != nil
                }
            guard exists else {
                guard node.ifExists else {
                    throw SQLError(.undefinedObject, "\(noun) \"\(name)\" does not exist", at: name.position)
                }
                let title = noun.prefix(1).uppercased() + noun.dropFirst()
                notices.append("INFO:  \(title) \"\(name)\" does not exist and will be skipped")
                continue
            }
            switch node.kind {
            case .user: try dropUser(name)
            case .group: try dropGroup(name)
            default: try dropRole(name, force: node.force)
            }
        }
    }

    func require(_ isAllowed: Bool, _ message: @autoclosure () -> String) throws {
        if !isAllowed { throw SQLError(.insufficientPrivilege, message()) }
    }
}

extension AccountStatement {
    fileprivate var tag: String {
        switch self {
        case .createUser: "CREATE USER"
        case .alterUser: "ALTER USER"
        case .createGroup: "CREATE GROUP"
        case .alterGroup: "ALTER GROUP"
        case .createRole: "CREATE ROLE"
        case .alterRole: "ALTER ROLE"
        case .grantRole(let node): node.isRevoke ? "REVOKE" : "GRANT"
        case .drop(let node): "DROP \(node.kind.rawValue)"
        }
    }
}
