import Catalog
import ColumnStore
import Glibc
import Warehouse

/// What Tab offers: keywords, tables, columns, backslash commands, file names. Main thread only, as the library that
/// calls it.
enum Completion {
    private struct State {
        var warehouse: Warehouse?
        var candidates: [String] = []
        var next = 0
    }
    nonisolated(unsafe) private static var state = State()  // only touched by the thread that edits lines

    static func use(_ warehouse: Warehouse) { state.warehouse = warehouse }

    static func next(first: Bool) -> String? {
        if first { state.next = 0 }
        guard state.next < state.candidates.count else { return nil }
        defer { state.next += 1 }
        return state.candidates[state.next]
    }

    static func prepare(word: String, line: String, start: Int, end: Int) {
        let before = String(decoding: Array(line.utf8).prefix(start), as: UTF8.self)
        state.candidates = candidates(word: word, before: before, line: line)
    }

    static func candidates(word: String, before: String, line: String) -> [String] {
        let words = before.split { $0 == " " || $0 == "\t" || $0 == "," || $0 == "(" }.map { $0.lowercased() }
        if word.hasPrefix("\\") && words.isEmpty { return matching(MetaCommand.names, word) }
        if let command = words.first, command.hasPrefix("\\") { return commandArguments(command, words, word) }
        if word.contains(".") { return qualified(word, line) }
        if let previous = words.last, relationWords.contains(previous) || before.hasSuffix(",") && isInFrom(words) {
            return matching(relationNames(), word)
        }
        return keywordsLike(word) + matching(columnNames(mentionedIn: line) + functions, word)
            + (word.isEmpty ? [] : matching(relationNames(), word))
    }

    private static func commandArguments(_ command: String, _ words: [String], _ word: String) -> [String] {
        switch command {
        case "\\i", "\\o", "\\include", "\\out": return fileNames(word)
        case "\\pset":
            return matching(words.count > 1 ? ResultFormat.allCases.map(\.rawValue) : DisplaySettings.optionNames, word)
        default: return matching(relationNames(), word)
        }
    }

    private static func isInFrom(_ words: [String]) -> Bool {
        guard let from = words.lastIndex(of: "from") else { return false }
        return !words[from...].contains { ["where", "group", "order", "having", "on"].contains($0) }
    }

    /// `table.column` and `schema.table`.
    private static func qualified(_ word: String, _ line: String) -> [String] {
        guard let dot = word.lastIndex(of: "."), let catalog = catalog() else { return [] }
        let owner = word[..<dot].lowercased()
        var names = catalog.relations(inSchema: owner).map(\.name)
        for relation in catalog.allRelations where relation.name == owner || alias(owner, of: relation.name, in: line) {
            names += columns(relation)
        }
        return matching(names.map { "\(word[...dot])\($0)" }, word)
    }

    private static func alias(_ alias: String, of table: String, in line: String) -> Bool {
        let words = line.lowercased().split { !($0.isLetter || $0.isNumber || $0 == "_") }
        return words.indices.contains { index in
            guard words[index] == table, index + 1 < words.count else { return false }
            if words[index + 1] == alias { return true }
            return words[index + 1] == "as" && index + 2 < words.count && words[index + 2] == alias
        }
    }

    private static func catalog() -> CatalogSnapshot? { state.warehouse?.store.snapshot().catalog }

    private static func relationNames() -> [String] {
        guard let catalog = catalog() else { return [] }
        let own = catalog.allRelations.map { $0.schema == "public" ? $0.name : "\($0.schema).\($0.name)" }
        return own + catalog.schemas.keys.sorted().map { $0 + "." } + systemRelations
    }

    /// Columns of the tables that the line names; of all tables when it names none.
    private static func columnNames(mentionedIn line: String) -> [String] {
        guard let catalog = catalog() else { return [] }
        let words = Set(line.lowercased().split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
        let mentioned = catalog.allRelations.filter { words.contains($0.name) }
        return Array(Set((mentioned.isEmpty ? catalog.allRelations : mentioned).flatMap(columns))).sorted()
    }

    private static func columns(_ relation: Relation) -> [String] {
        switch relation {
        case .table(let table): table.columns.map(\.name)
        case .view(let view): view.columnNames
        }
    }

    private static func keywordsLike(_ word: String) -> [String] {
        let lower = word.first.map { $0.isLowercase } ?? true
        return matching(lower ? keywords.map { $0.lowercased() } : keywords, word)
    }

    private static func matching(_ names: [String], _ word: String) -> [String] {
        let prefix = word.lowercased()
        return names.filter { $0.lowercased().hasPrefix(prefix) }
    }

    private static func fileNames(_ word: String) -> [String] {
        let slash = word.lastIndex(of: "/")
        let folder = slash.map { String(word[...$0]) } ?? ""
        guard let directory = opendir(folder.isEmpty ? "." : folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            let path = folder + name
            if name.hasPrefix(".") || !path.hasPrefix(word) { continue }
            names.append(LocalFiles.isDirectory(path) ? path + "/" : path)
        }
        return names.sorted()
    }

    private static let relationWords: Set<String> = [
        "from", "join", "into", "table", "update", "view", "truncate", "analyze", "copy", "vacuum", "like",
    ]
    private static let functions = [
        "avg(", "coalesce(", "count(", "current_date", "date_part(", "date_trunc(", "dateadd(", "datediff(", "decode(",
        "extract(", "getdate()", "lag(", "lead(", "length(", "listagg(", "lower(", "max(", "median(", "min(", "nullif(",
        "nvl(", "rank()", "replace(", "round(", "row_number()", "stddev(", "substring(", "sum(", "to_char(", "to_date(",
        "trim(", "trunc(", "upper(",
    ]
    private static let systemRelations = [
        "pg_table_def", "stl_load_commits", "stl_load_errors", "stl_query", "stv_blocklist", "stv_slices",
        "stv_tbl_perm", "svl_qlog", "svv_columns", "svv_table_info", "svv_tables", "sys_load_error_detail",
        "information_schema.columns", "information_schema.tables",
    ]
    private static let keywords = [
        "ALL", "ALTER TABLE", "ANALYZE", "AND", "AS", "ASC", "BEGIN", "BETWEEN", "BY", "CASE", "CAST", "COMMIT",
        "COPY", "COPY JOB", "CREATE", "CREATE DATABASE", "CREATE SCHEMA", "CREATE TABLE", "CREATE TEMP TABLE",
        "CREATE VIEW",
        "CSV", "DATE", "DEFAULT", "DELETE FROM", "DELIMITER", "DESC", "DISTINCT", "DISTKEY", "DISTSTYLE", "DROP",
        "DROP DATABASE", "DROP TABLE", "DROP VIEW", "ELSE", "ENCODE", "END", "EXCEPT", "EXISTS", "EXPLAIN",
        "EXPLAIN ANALYZE", "FALSE", "FROM", "FULL", "GROUP BY", "GZIP", "HAVING", "IGNOREHEADER", "ILIKE", "IN",
        "INNER JOIN", "INSERT INTO", "INTERSECT", "INTERVAL", "IS", "JOIN", "LEFT JOIN", "LIKE", "LIMIT", "NOT",
        "NULL", "OFFSET", "ON", "OR", "ORDER BY", "OVER", "PARTITION BY", "PRIMARY KEY", "RESET", "RIGHT JOIN",
        "ROLLBACK", "SELECT", "SET", "SHOW", "SIMILAR TO", "SORTKEY", "TABLE", "THEN", "TIMESTAMP", "TOP", "TRUE",
        "TRUNCATE", "UNION", "UNION ALL", "UPDATE", "USE", "USING", "VACUUM", "VALUES", "VIEW", "WHEN", "WHERE",
        "WITH", "ZSTD",
    ]
}
