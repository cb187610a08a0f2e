import Binder
import Catalog
import Glibc
import QueryPlan
import SQLSyntax
import SQLTypes

/// A catalog built from DDL text, and short ways to bind against it.
struct BinderFixture {
    var catalog = CatalogSnapshot()

    init(_ ddl: String = "") throws {
        for statement in try Parser.parse(ddl) { try define(statement.statement) }
    }

    mutating func define(_ statement: Statement) throws {
        switch try binder.bind(statement).statement {
        case .createTable(let node):
            var table = node.definition
            table.id = catalog.makeObjectID()
            catalog.put(.table(table))
        case .createView(let node):
            var view = node.definition
            view.id = catalog.makeObjectID()
            catalog.put(.view(view))
        case .createSchema(let node): catalog.put(node.definition)
        default: throw SQLError(.internalError, "unexpected statement in the fixture")
        }
    }

    var binder: Binder { Binder(catalog: catalog) }

    func bind(_ sql: String) throws -> BoundStatement {
        let statements = try Parser.parse(sql)
        return try binder.bind(statements[statements.count - 1].statement).statement
    }

    func query(_ sql: String) throws -> LogicalQuery {
        guard case .query(let query) = try bind(sql) else { throw SQLError(.internalError, "not a query: \(sql)") }
        return query
    }

    /// The types of a query's columns.
    func types(_ sql: String) throws -> [SQLType] { try query(sql).outputs.map(\.type) }

    func names(_ sql: String) throws -> [String] { try query(sql).outputs.map(\.name) }

    /// The expressions of the query's top projection.
    func expressions(_ sql: String) throws -> [BoundExpression] {
        guard case .project(let columns, _) = try query(sql).plan else { return [] }
        return columns.map(\.expression)
    }

    /// The condition of the first filter from the top.
    func condition(_ sql: String) throws -> BoundExpression? {
        var plan = try query(sql).plan
        while true {
            switch plan {
            case .filter(let condition, _): return condition
            case .project(_, let input), .sort(_, let input): plan = input
            case .aggregate(let aggregate): plan = aggregate.input
            case .limit(let limit): plan = limit.input
            default: return nil
            }
        }
    }

    func error(_ sql: String) -> SQLError? {
        do {
            _ = try bind(sql)
            return nil
        } catch { return error as? SQLError }
    }
}

/// Files of the benchmarks, where they are at hand.
enum BenchmarkFiles {
    static let directory = getenv("REDBARN_BENCHMARK_FILES").map { String(cString: $0) } ?? "../shared"

    static func read(_ path: String) -> String? {
        guard let file = fopen(directory + "/" + path, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
