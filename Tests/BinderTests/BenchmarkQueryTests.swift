import Binder
import QueryPlan
import SQLSyntax
import SQLTypes
import Testing

@Suite struct BenchmarkQueryTests {
    static func number(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    @Test(arguments: ["tpch/ddl_redshift.sql", "tpch/ddl_plain.sql"])
    func tpch(ddl path: String) throws {
        guard let ddl = BenchmarkFiles.read(path) else { return }
        let fixture = try BinderFixture(ddl)
        for number in 1...22 {
            guard let text = BenchmarkFiles.read("tpch/queries/q\(Self.number(number)).sql") else { continue }
            bind(text, "TPC-H \(number)", fixture)
        }
    }

    @Test func tpcds() throws {
        guard let ddl = BenchmarkFiles.read("tpcds/ddl_redshift.sql") else { return }
        let fixture = try BinderFixture(ddl)
        for number in 1...99 {
            guard let text = BenchmarkFiles.read("tpcds/queries/q\(Self.number(number)).sql") else { continue }
            bind(text, "TPC-DS \(number)", fixture)
        }
    }

    private func bind(_ text: String, _ name: String, _ fixture: BinderFixture) {
        do {
            for statement in try Parser.parse(text) { _ = try fixture.binder.bind(statement.statement) }
        } catch {
            Issue.record("\(name): \(error)")
        }
    }
}
