import Catalog
import Platform
import SQLSyntax
import SQLTypes

/// What was done to users, told from the statements that did it.
enum AccountHistoryRelations {
    static let all: [SystemRelation] = [
        SystemRelation(
            "stl_userlog",
            """
            userid int, username char(50), oldusername char(50), action char(10), usecreatedb int, usesuper int,
            usecatupd int, valuntil ts, pid int, xid bigint, recordtime ts
            """, rows: rows),
        SystemRelation(
            "sys_userlog",
            """
            user_id int, user_name char(50), original_user_name char(50), action char(10), has_create_db_privs int,
            is_superuser int, has_update_catalog_privs int, password_expiration ts, session_id int,
            transaction_id bigint, record_time ts
            """, rows: rows),
    ]

    /// A user as the statements so far have made it.
    private struct Known {
        var canCreateDatabases = false
        var isSuperuser = false

        mutating func apply(_ options: [StatementOption]) {
            for option in options {
                switch option.name {
                case "CREATEDB": canCreateDatabases = true
                case "NOCREATEDB": canCreateDatabases = false
                case "CREATEUSER": isSuperuser = true
                case "NOCREATEUSER": isSuperuser = false
                default: break
                }
            }
        }
    }

    private static func rows(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        var users: [String: Known] = [:]
        for query in snapshot.log.queries where query.errorMessage == nil && isAboutUsers(query.text) {
            try snapshot.cancellation.check()
            // A text of several statements is logged by each of them, with its own part.
            guard let parsed = try? Parser.parse(query.text).first else { continue }
            if case .createUser(let node) = parsed.statement {
                var known = Known()
                known.apply(node.options)
                users[node.name.text] = known
                try add("create", node.name.text, nil, known, query, snapshot, sink)
            } else if case .alterUser(let node) = parsed.statement {
                try alter(node, &users, query, snapshot, sink)
            } else if case .drop(let node) = parsed.statement, node.kind == .user {
                for target in node.targets {
                    let known = users.removeValue(forKey: target.name.name)
                    if known == nil && node.ifExists { continue }
                    try add("drop", target.name.name, nil, known ?? Known(), query, snapshot, sink)
                }
            }
        }
    }

    private static func isAboutUsers(_ text: String) -> Bool {
        let words = text.prefix(200).lowercased().split(whereSeparator: { $0.isWhitespace }).prefix(2)
        return words.last == "user" && ["create", "alter", "drop"].contains(words.first)
    }

    private static func alter(
        _ node: UserStatement, _ users: inout [String: Known], _ query: WarehouseLog.Query,
        _ snapshot: SystemSnapshot, _ sink: SystemRows
    ) throws {
        var known = users[node.name.text] ?? Known()
        known.apply(node.options)
        if case .names(let names)? = node.options.first(where: { $0.name == "RENAME TO" })?.values.first,
            let new = names.first
        {
            users[node.name.text] = nil
            users[new.text] = known
            return try add("rename", new.text, node.name.text, known, query, snapshot, sink)
        }
        users[node.name.text] = known
        try add("alter", node.name.text, nil, known, query, snapshot, sink)
    }

    private static func add(
        _ action: String, _ name: String, _ oldName: String?, _ known: Known, _ query: WarehouseLog.Query,
        _ snapshot: SystemSnapshot, _ sink: SystemRows
    ) throws {
        let user = snapshot.accounts.user(named: name)
        let flag: (Bool) -> Datum = { $0 ? .yes : .zero }
        try sink.add([
            user.map { .number($0.id) } ?? .null, .text(name), .text(oldName ?? ""), .text(action),
            flag(known.canCreateDatabases), flag(known.isSuperuser), .zero, .null, .number(query.session),
            .wide(query.transaction), .wide(query.startMicroseconds),
        ])
    }
}
