import Glibc
import SQLSyntax
import SQLTypes
import Testing

/// parse(print(parse(x))) == parse(x).
@Suite struct RoundTripTests {
    @Test(arguments: [StatementCorpus.queries, StatementCorpus.commands])
    func corpus(_ text: String) throws {
        let statements = try Parser.parse(text)
        #expect(statements.count > 40)
        for statement in statements { try Self.check(statement.statement) }
    }

    @Test(arguments: ["benchmarks/tpch", "../shared/tpcds"])
    func benchmarkQueries(_ folder: String) throws {
        let files = Self.files(folder, ".sql") + Self.files(folder + "/queries", ".sql")
        for file in files {
            for statement in try Parser.parse(Self.contents(file)) { try Self.check(statement.statement) }
        }
    }

    static func check(_ statement: Statement) throws {
        let text = SQLPrinter.print(statement)
        do {
            let again = try Parser.parse(text)
            #expect(again.count == 1)
            #expect(again.first?.statement == statement, "changed by printing: \(text)")
            #expect(again.first.map { SQLPrinter.print($0.statement) } == text)
        } catch {
            Issue.record("does not parse: \(text): \(error.message)")
        }
    }

    private static func files(_ folder: String, _ suffix: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(suffix) { names.append(folder + "/" + name) }
        }
        return names.sorted()
    }

    private static func contents(_ path: String) -> [UInt8] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            if count == 0 { return result }
            result += buffer[0..<count]
        }
    }
}
