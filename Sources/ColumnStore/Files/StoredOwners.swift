import Catalog

/// Owners as definitions are stored with them: ids, or names in what older versions wrote. A name stands as a negative
/// number until the users are known.
struct StoredOwners {
    private let areNames: Bool
    private var names: [String] = []

    init(areNames: Bool) { self.areNames = areNames }

    mutating func read(_ reader: inout BinaryReader) throws -> Int {
        if !areNames { return Int(try reader.get(Int64.self)) }
        names.append(try reader.getString())
        return -names.count
    }

    func resolved(_ schema: SchemaDefinition, _ accounts: AccountCatalog) -> SchemaDefinition {
        var schema = schema
        schema.owner = id(schema.owner, accounts)
        return schema
    }

    func resolved(_ object: CatalogObject, _ accounts: AccountCatalog) -> CatalogObject {
        areNames ? object.with { $0.owner = id($0.owner, accounts) } : object
    }

    /// What belongs to a name that nobody has is the first superuser's, as it was before there were users.
    private func id(_ owner: Int, _ accounts: AccountCatalog) -> Int {
        guard areNames, names.indices.contains(-(owner + 1)) else { return owner }
        return accounts.userID(named: names[-(owner + 1)]) ?? UserDefinition.firstID
    }
}
