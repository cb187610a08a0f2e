import Catalog
import QueryPlan
import SQLSyntax

/// The relations that a statement uses, and in whose name: filled in while the statement is bound, checked before it
/// runs. Superusers' statements are bound without one, so that they pay nothing. Confined to one thread.
public final class AccessRecord {
    public struct Use {
        public var relation: Relation
        /// SELECT for what FROM names; nothing for the target of a change, whose columns need SELECT only when they are
        /// read.
        public var needed: PrivilegeSet
        /// Ids of the relation's columns in the plan, in the relation's order.
        public var columns: [ColumnID]
        /// Views read with the rights of their owners.
        public var rights: AccessRights
    }
    public struct SystemUse {
        public var name: String
        public var rights: AccessRights
    }

    public private(set) var uses: [Use] = []
    public private(set) var systemUses: [SystemUse] = []
    private var stack: [AccessRights]

    /// - Parameter rights: of the session's user.
    public init(_ rights: AccessRights) { stack = [rights] }

    /// In whose name relations are looked up now.
    public var rights: AccessRights { stack[stack.count - 1] }
    /// Of the session's user.
    public var sessionRights: AccessRights { stack[0] }

    func add(_ relation: Relation, needed: PrivilegeSet, columns: [ColumnID], rights: AccessRights? = nil) {
        uses.append(Use(relation: relation, needed: needed, columns: columns, rights: rights ?? self.rights))
    }
    func addSystem(_ name: String) { systemUses.append(SystemUse(name: name, rights: rights)) }

    /// What is bound in `body` is used in the name of a view's owner.
    func inName<Result>(of owner: Int, _ body: () throws -> Result) rethrows -> Result {
        let accounts = rights.accounts
        // Who is no more has no rights.
        let user = accounts.users[owner] ?? UserDefinition(id: -1, name: "")
        stack.append(AccessRights(user, accounts))
        defer { stack.removeLast() }
        return try body()
    }
}
