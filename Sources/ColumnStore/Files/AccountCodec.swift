import Catalog
import SQLTypes

/// The stored form of users, groups, roles and privileges. Tags are fixed for ever; new ones are added at the end.
enum AccountCodec {
    static func write(_ accounts: AccountCatalog, _ writer: inout BinaryWriter) {
        writer.put(Int64(accounts.nextID))
        writer.put(accounts.sortedUsers) { write($1, &$0) }
        writer.put(accounts.sortedGroups) { writer, group in
            writer.put(Int64(group.id))
            writer.put(group.name)
            writer.put(group.members) { $0.put(Int64($1)) }
        }
        // The roles of the system are the program's.
        writer.put(accounts.sortedRoles.filter { !$0.isSystemDefined }) { writer, role in
            writer.put(Int64(role.id))
            writer.put(role.name)
            writer.put(Int64(role.owner))
            writer.put(role.externalID) { $0.put($1) }
            writer.put(role.systemPrivileges.sorted()) { $0.put($1) }
        }
        writer.put(Array(accounts.roleGrants)) { writer, grant in
            writer.put(Int64(grant.key.role))
            write(grant.key.member, &writer)
            writer.put(grant.value.adminOption)
            writer.put(Int64(grant.value.grantor))
        }
        writer.put(Array(accounts.access)) { writer, access in
            write(access.key, &writer)
            write(access.value, &writer)
        }
        writer.put(Array(accounts.defaultAccess)) { writer, access in
            writer.put(Int64(access.key.owner))
            writer.put(access.key.database.raw)
            writer.put(access.key.schema) { $0.put($1.raw) }
            writer.put(access.key.kind.rawValue)
            write(access.value, &writer)
        }
    }

    /// - Parameter ofOneDatabase: as it was when a warehouse was one database, whose owner stood here.
    static func read(
        _ reader: inout BinaryReader, ofOneDatabase: Bool = false
    ) throws -> (accounts: AccountCatalog, databaseOwner: Int?) {
        var accounts = AccountCatalog.initial
        accounts.nextID = try readID(&reader)
        let databaseOwner = ofOneDatabase ? try readID(&reader) : nil
        accounts.users = [:]
        for user in try reader.getList({ try readUser(&$0) }) { accounts.users[user.id] = user }
        let groups = try reader.getList { reader in
            GroupDefinition(
                id: try readID(&reader), name: try reader.getString(), members: try reader.getList { try readID(&$0) })
        }
        for group in groups { accounts.groups[group.id] = group }
        let roles = try reader.getList { reader in
            RoleDefinition(
                id: try readID(&reader), name: try reader.getString(), owner: try readID(&reader),
                externalID: try reader.getOptional { try $0.getString() },
                systemPrivileges: Set(try reader.getList { try $0.getString() }))
        }
        for role in roles { accounts.roles[role.id] = role }
        for (membership, grant) in try reader.getList({ try readRoleGrant(&$0) }) {
            accounts.roleGrants[membership] = grant
        }
        accounts.access = [:]
        for (object, list) in try reader.getList({ (try readObject(&$0), try readList(&$0)) }) {
            accounts.access[object] = list
        }
        for (key, list) in try reader.getList({ (try readDefaultKey(&$0, ofOneDatabase), try readList(&$0)) }) {
            accounts.defaultAccess[key] = list
        }
        return (accounts, databaseOwner)
    }

    private static func readID(_ reader: inout BinaryReader) throws -> Int { Int(try reader.get(Int64.self)) }

    // MARK: Users and roles

    private static func write(_ user: UserDefinition, _ writer: inout BinaryWriter) {
        writer.put(Int64(user.id))
        writer.put(user.name)
        writer.put(user.isSuperuser)
        writer.put(user.canCreateDatabases)
        writer.put(user.password) { $0.put($1.stored) }
        writer.put(user.validUntilMicroseconds) { $0.put($1) }
        writer.put(user.connectionLimit) { $0.put(Int64($1)) }
        writer.put(user.sessionTimeoutSeconds) { $0.put(Int64($1)) }
        writer.put(user.isSyslogUnrestricted)
        writer.put(user.externalID) { $0.put($1) }
        writer.put(user.settings.sorted { $0.key < $1.key }) { writer, setting in
            writer.put(setting.key)
            writer.put(setting.value)
        }
    }

    private static func readUser(_ reader: inout BinaryReader) throws -> UserDefinition {
        var user = UserDefinition(
            id: try readID(&reader), name: try reader.getString(), isSuperuser: try reader.getBool(),
            canCreateDatabases: try reader.getBool(),
            password: try reader.getOptional { PasswordVerifier(stored: try $0.getString()) },
            validUntilMicroseconds: try reader.getOptional { try $0.get() },
            connectionLimit: try reader.getOptional { try readID(&$0) },
            sessionTimeoutSeconds: try reader.getOptional { try readID(&$0) },
            isSyslogUnrestricted: try reader.getBool(), externalID: try reader.getOptional { try $0.getString() })
        for (name, value) in try reader.getList({ (try $0.getString(), try $0.getString()) }) {
            user.settings[name] = value
        }
        return user
    }

    private static func readRoleGrant(_ reader: inout BinaryReader) throws -> (RoleMembership, RoleGrant) {
        let membership = RoleMembership(role: try readID(&reader), member: try readHolder(&reader))
        return (membership, RoleGrant(adminOption: try reader.getBool(), grantor: try readID(&reader)))
    }

    // MARK: Privileges

    private static func write(_ holder: PrivilegeHolder, _ writer: inout BinaryWriter) {
        let (tag, id): (UInt8, Int) =
            switch holder {
            case .everyone: (0, 0)
            case .user(let id): (1, id)
            case .group(let id): (2, id)
            case .role(let id): (3, id)
            }
        writer.put(tag)
        writer.put(Int64(id))
    }

    private static func readHolder(_ reader: inout BinaryReader) throws -> PrivilegeHolder {
        let tag = try reader.get(UInt8.self)
        let id = try readID(&reader)
        switch tag {
        case 0: return .everyone
        case 1: return .user(id)
        case 2: return .group(id)
        case 3: return .role(id)
        default: throw reader.corrupted("unknown holder of privileges")
        }
    }

    private static func write(_ object: SecuredObject, _ writer: inout BinaryWriter) {
        switch object {
        case .database(let id):
            writer.put(UInt8(7))
            writer.put(id.raw)
        case .schema(let id):
            writer.put(UInt8(1))
            writer.put(id.raw)
        case .relation(let id):
            writer.put(UInt8(2))
            writer.put(id.raw)
        case .column(let id, let column):
            writer.put(UInt8(3))
            writer.put(id.raw)
            writer.put(column)
        case .routine(let id):
            writer.put(UInt8(4))
            writer.put(id.raw)
        case .procedure(let id):
            writer.put(UInt8(9))
            writer.put(id.raw)
        case .language(let name):
            writer.put(UInt8(5))
            writer.put(name)
        case .scope(let kind, let container):
            writer.put(UInt8(8))
            writer.put(kind.rawValue)
            writer.put(container.raw)
        }
    }

    private static func readObject(_ reader: inout BinaryReader) throws -> SecuredObject {
        switch try reader.get(UInt8.self) {
        case 0: return .database(DatabaseDefinition.firstID)
        case 1: return .schema(ObjectID(try reader.get()))
        case 2: return .relation(ObjectID(try reader.get()))
        case 3: return .column(ObjectID(try reader.get()), try reader.get())
        case 4: return .routine(ObjectID(try reader.get()))
        case 5: return .language(try reader.getString())
        case 6:
            let kind = try readScopeKind(&reader)
            let schema = try reader.getOptional { ObjectID(try $0.get()) }
            return .scope(kind, in: schema ?? DatabaseDefinition.firstID)
        case 7: return .database(ObjectID(try reader.get()))
        case 8: return .scope(try readScopeKind(&reader), in: ObjectID(try reader.get()))
        case 9: return .procedure(ObjectID(try reader.get()))
        default: throw reader.corrupted("unknown kind of object")
        }
    }

    private static func readScopeKind(_ reader: inout BinaryReader) throws -> ObjectKindInScope {
        guard let kind = ObjectKindInScope(rawValue: try reader.get()) else {
            throw reader.corrupted("unknown kind of objects")
        }
        return kind
    }

    private static func readDefaultKey(
        _ reader: inout BinaryReader, _ ofOneDatabase: Bool
    ) throws -> DefaultPrivilegeKey {
        let owner = try readID(&reader)
        let database = ofOneDatabase ? DatabaseDefinition.firstID : ObjectID(try reader.get())
        let schema = try reader.getOptional { ObjectID(try $0.get()) }
        guard let kind = DefaultPrivilegeKey.Kind(rawValue: try reader.get()) else {
            throw reader.corrupted("unknown kind of default privileges")
        }
        return DefaultPrivilegeKey(owner: owner, database: database, schema: schema, kind: kind)
    }

    private static func write(_ list: AccessList, _ writer: inout BinaryWriter) {
        writer.put(list.entries) { writer, entry in
            write(entry.holder, &writer)
            writer.put(entry.privileges.rawValue)
            writer.put(entry.grantable.rawValue)
            writer.put(Int64(entry.grantor))
        }
    }

    private static func readList(_ reader: inout BinaryReader) throws -> AccessList {
        AccessList(
            try reader.getList { reader in
                AccessEntry(
                    holder: try readHolder(&reader), privileges: PrivilegeSet(rawValue: try reader.get()),
                    grantable: PrivilegeSet(rawValue: try reader.get()), grantor: try readID(&reader))
            })
    }
}
