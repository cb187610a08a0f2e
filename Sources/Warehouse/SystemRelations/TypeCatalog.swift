import SQLTypes

/// The types that clients know by oid: PostgreSQL's and Redshift's own.
enum TypeCatalog {
    struct Entry: Sendable {
        var id: Int
        var name: String
        /// -1: variable, -2: NUL-terminated.
        var length: Int
        var isByValue: Bool
        var alignment: String
        var storage: String
        /// Oid of the element type of arrays and vectors.
        var element: Int
        /// As `format_type` writes it.
        var title: String
    }

    static let all: [Entry] = scalars + arrays

    private static let scalars: [Entry] = (own + foreign).sorted { $0.id < $1.id }

    private static let own: [Entry] = TypeDescriptor.all.map {
        entry(Int($0.oid), $0.catalogName, Int($0.wireSize), $0.title)
    }
    /// Types of catalogs and clients that no value here has.
    private static let foreign: [Entry] = [
        entry(17, "bytea", -1, "bytea"), entry(18, "char", 1, "\"char\""), entry(19, "name", 128, "name", element: 18),
        entry(22, "int2vector", -1, "int2vector", element: 21), entry(24, "regproc", 4, "regproc"),
        entry(25, "text", -1, "text"), entry(26, "oid", 4, "oid"), entry(27, "tid", 6, "tid"),
        entry(28, "xid", 4, "xid"), entry(29, "cid", 4, "cid"),
        entry(30, "oidvector", -1, "oidvector", element: 26), entry(210, "smgr", 2, "smgr"),
        entry(702, "abstime", 4, "abstime"), entry(1033, "aclitem", 12, "aclitem"),
        entry(2202, "regprocedure", 4, "regprocedure"),
        entry(2203, "regoper", 4, "regoper"), entry(2205, "regclass", 4, "regclass"),
        entry(2206, "regtype", 4, "regtype"), entry(2249, "record", 4, "record"),
        entry(2275, "cstring", -2, "cstring"), entry(2276, "any", 4, "\"any\""),
        entry(2277, "anyarray", -1, "anyarray"), entry(2278, "void", 4, "void"), entry(2279, "trigger", 4, "trigger"),
        entry(3000, "geometry", -1, "geometry"),
        entry(3001, "geography", -1, "geography"),
    ]
    private static let arrays: [Entry] = [
        (1000, 16), (1001, 17), (1002, 18), (1003, 19), (1005, 21), (1006, 22), (1007, 23), (1009, 25), (1014, 1042),
        (1015, 1043), (1016, 20), (1021, 700), (1022, 701), (1028, 26), (1034, 1033), (1115, 1114), (1182, 1082),
        (1183, 1083), (1185, 1184), (1187, 1186), (1189, 1188), (1191, 1190), (1231, 1700), (1270, 1266),
    ].compactMap { id, element in
        guard let base = scalars.first(where: { $0.id == element }) else { return nil }
        return entry(id, "_" + base.name, -1, base.title + "[]", element: element)
    }

    private static func entry(_ id: Int, _ name: String, _ length: Int, _ title: String, element: Int = 0) -> Entry {
        let isByValue = length == 1 || length == 2 || length == 4 || (length == 8 && name != "interval")
        let alignment = length == 1 || length == 128 ? "c" : length == 2 ? "s" : length >= 8 ? "d" : "i"
        return Entry(
            id: id, name: name, length: length, isByValue: isByValue, alignment: alignment,
            storage: length < 0 ? "x" : "p", element: element, title: title)
    }

    static let byID = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })
    private static let idsByName: [String: Int] = {
        var names: [String: Int] = [:]
        for entry in all.reversed() {
            names[entry.title] = entry.id
            names[entry.name] = entry.id
        }
        for (alias, id) in [("int", 23), ("decimal", 1700), ("float", 701), ("char", 1042), ("datetime", 1114)] {
            names[alias] = id
        }
        return names
    }()

    /// By either name, lower case, lengths ignored.
    static func id(named name: String) -> Int? {
        var word = name.lowercased()
        if word.hasPrefix("pg_catalog.") { word = String(word.dropFirst(11)) }
        if let open = word.firstIndex(of: "(") { word = String(word[..<open]) }
        return idsByName[word]
    }

    static func id(of type: SQLType) -> Int { Int(type.descriptor.oid) }

    /// `character varying(20)`; without a modifier the bare name.
    static func title(_ id: Int, modifier: Int?) -> String {
        guard let entry = byID[id] else { return id == 0 ? "-" : "???" }
        guard let modifier, modifier >= 4, let oid = Int32(exactly: id),
            let descriptor = TypeDescriptor.withOID(oid)
        else { return entry.title }
        return descriptor.type(catalogModifier: modifier).description
    }
}
