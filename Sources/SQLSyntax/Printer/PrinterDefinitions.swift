/// Schemas, databases, accounts, routines, DROP, COMMENT.
extension SQLPrinter {
    mutating func write(_ node: CreateGroupStatement) {
        account("CREATE GROUP ", node.name, [])
        roles(node.users.isEmpty ? "" : " WITH USER ", node.users)
    }

    mutating func write(_ node: CallStatement) {
        text += "CALL "
        write(node.name)
        text += "("
        write(node.arguments)
        text += ")"
    }

    mutating func write(_ node: CreateExternalSchemaStatement) {
        text += node.ifNotExists ? "CREATE EXTERNAL SCHEMA IF NOT EXISTS " : "CREATE EXTERNAL SCHEMA "
        write(node.name)
        options(node.options)
    }

    mutating func account(_ words: String, _ name: Identifier, _ options: [StatementOption]) {
        text += words
        role(name)
        self.options(options)
    }

    /// `sys:dba` is one name to us but two words to the grammar.
    mutating func role(_ name: Identifier) {
        list(name.text.split(separator: ":", omittingEmptySubsequences: false), separator: ":") {
            $0.text += Self.quoted(String($1))
        }
    }

    mutating func roles(_ words: String, _ names: [Identifier]) {
        text += words
        list(names) { $0.role($1) }
    }

    mutating func write(_ node: CreateSchemaStatement) {
        text += node.ifNotExists ? "CREATE SCHEMA IF NOT EXISTS" : "CREATE SCHEMA"
        if let name = node.name {
            text += " "
            write(name)
        }
        if let owner = node.owner { roles(" AUTHORIZATION ", [owner]) }
        if let quota = node.quota { text += " " + Self.quota(quota) }
        for element in node.elements {
            text += " "
            write(element)
        }
    }

    private static func quota(_ quota: SchemaQuota) -> String {
        switch quota {
        case .unlimited: "QUOTA UNLIMITED"
        case .megabytes(let amount): "QUOTA \(amount) MB"
        }
    }

    mutating func write(_ node: AlterSchemaStatement) {
        text += "ALTER SCHEMA "
        write(node.name)
        switch node.action {
        case .renameTo(let name): roles(" RENAME TO ", [name])
        case .ownerTo(let name): roles(" OWNER TO ", [name])
        case .quota(let quota): text += " " + Self.quota(quota)
        }
    }

    mutating func write(_ node: AlterGroupStatement) {
        account("ALTER GROUP ", node.name, [])
        switch node.action {
        case .addUsers(let users): roles(" ADD USER ", users)
        case .dropUsers(let users): roles(" DROP USER ", users)
        case .renameTo(let name): roles(" RENAME TO ", [name])
        }
    }

    mutating func write(_ node: DropStatement) {
        text += "DROP " + node.kind.rawValue + (node.ifExists ? " IF EXISTS " : " ")
        let isAccount = [ObjectNoun.user, .group, .role].contains(node.kind)
        list(node.targets) { printer, target in
            if isAccount { printer.role(target.name.last) } else { printer.write(target) }
        }
        if node.dropsExternalDatabase { text += " DROP EXTERNAL DATABASE" }
        if node.force { text += " FORCE" }
        if node.cascade { text += " CASCADE" }
    }

    mutating func write(_ target: DropStatement.Target) {
        write(target.name)
        signature(target.argumentTypes)
    }

    mutating func signature(_ types: [ParsedTypeName]?) {
        guard let types else { return }
        text += "("
        list(types) { $0.write($1) }
        text += ")"
    }

    mutating func write(_ node: CommentStatement) {
        text += "COMMENT ON " + node.kind.rawValue + " "
        write(node.name)
        signature(node.argumentTypes)
        if let table = node.table {
            text += " ON "
            write(table)
        }
        text += " IS " + (node.text.map(Self.literal) ?? "NULL")
    }

    mutating func write(_ node: GrantStatement) {
        if let defaults = node.defaults {
            text += "ALTER DEFAULT PRIVILEGES "
            if !defaults.users.isEmpty { roles("FOR USER ", defaults.users) }
            if !defaults.schemas.isEmpty {
                text += defaults.users.isEmpty ? "IN SCHEMA " : " IN SCHEMA "
                list(defaults.schemas) { $0.write($1) }
            }
            text += " "
        }
        text += node.isRevoke ? (node.grantOption ? "REVOKE GRANT OPTION FOR " : "REVOKE ") : "GRANT "
        list(node.privileges) { printer, privilege in
            printer.text += privilege.name
            printer.optional(privilege.columns)
        }
        write(node.target)
        text += node.isRevoke ? " FROM " : " TO "
        list(node.grantees) { $0.write($1) }
        if !node.isRevoke, node.grantOption { text += " WITH GRANT OPTION" }
        if node.cascade { text += " CASCADE" }
    }

    mutating func write(_ target: PrivilegeTarget) {
        switch target {
        case .objects(let kind, let names):
            text += " ON " + kind + (names.isEmpty ? "" : " ")
            list(names) { $0.write($1) }
        case .allInSchema(let kind, let schemas):
            text += " ON ALL " + kind + " IN SCHEMA "
            list(schemas) { $0.write($1) }
        case .scoped(let kind, let container, let name):
            text += " FOR " + kind + " IN " + container + " "
            write(name)
        case .system: break
        case .other(let words): text += " ON " + words
        }
    }

    mutating func write(_ grantee: Grantee) {
        switch grantee {
        case .publicRole: text += "PUBLIC"
        case .user(let name): role(name)
        case .group(let name): roles("GROUP ", [name])
        case .role(let name): roles("ROLE ", [name])
        }
    }

    mutating func write(_ node: GrantRoleStatement) {
        text += node.isRevoke ? (node.adminOption ? "REVOKE ADMIN OPTION FOR " : "REVOKE ") : "GRANT "
        list(node.roles) { $0.roles("ROLE ", [$1]) }
        text += node.isRevoke ? " FROM " : " TO "
        list(node.grantees) { $0.write($1) }
        if !node.isRevoke, node.adminOption { text += " WITH ADMIN OPTION" }
    }

    mutating func write(_ node: AlterProcedureStatement) {
        text += "ALTER PROCEDURE "
        write(node.name)
        if let types = node.argumentTypes {
            text += "("
            list(types) { $0.write($1) }
            text += ")"
        }
        switch node.action {
        case .renameTo(let name):
            text += " RENAME TO "
            write(name)
        case .ownerTo(let name):
            text += " OWNER TO "
            write(name)
        }
    }

    mutating func write(_ node: CreateRoutineStatement) {
        text += (node.orReplace ? "CREATE OR REPLACE " : "CREATE ") + node.kind.rawValue + " "
        write(node.name)
        text += "("
        list(node.parameters) { printer, parameter in
            if let name = parameter.name {
                printer.write(name)
                printer.text += " "
            }
            if parameter.mode != .input { printer.text += parameter.mode.rawValue + " " }
            printer.write(parameter.type)
        }
        text += ")"
        if let returns = node.returns {
            text += " RETURNS "
            write(returns)
        }
        options(node.options)
        text += " AS " + Self.literal(node.body) + " LANGUAGE " + node.language
    }

    mutating func write(_ node: CreateExternalTableStatement) {
        text += "CREATE EXTERNAL TABLE "
        write(node.name)
        if !node.columns.isEmpty { columns(" (", node.columns) }
        if !node.partitionColumns.isEmpty { columns(" PARTITIONED BY (", node.partitionColumns) }
        if !node.storageText.isEmpty { text += " " + node.storageText }
        if let query = node.query {
            text += " AS "
            write(query)
        }
    }

    mutating func columns(_ words: String, _ columns: [ColumnDefinition]) {
        text += words
        list(columns) { printer, column in
            if column.type.name == "unknown" { printer.write(column.name) } else { printer.write(column) }
        }
        text += ")"
    }
}
