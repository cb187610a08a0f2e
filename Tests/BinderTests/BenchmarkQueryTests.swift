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

    /// Every constant of TPC-H meets its column as it is stored, so that zone maps apply.
    @Test func noColumnIsCastInTPCHConditions() throws {
        guard let ddl = BenchmarkFiles.read("tpch/ddl_redshift.sql") else { return }
        let fixture = try BinderFixture(ddl)
        for number in 1...22 {
            guard let text = BenchmarkFiles.read("tpch/queries/q\(Self.number(number)).sql") else { continue }
            var casts: [BoundExpression] = []
            for statement in try Parser.parse(text) {
                guard case .query(let query) = try fixture.binder.bind(statement.statement).statement else { continue }
                CastFinder.visit(query.plan) { casts.append($0) }
            }
            #expect(casts.isEmpty, "TPC-H \(number): \(casts)")
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

/// Finds comparisons between constants and casts of columns in the filters and joins of a plan.
enum CastFinder {
    static func visit(_ plan: LogicalPlan, _ found: (BoundExpression) -> Void) {
        switch plan {
        case .scan, .systemScan, .values, .withReference: break
        case .filter(let condition, let input):
            visit(condition, found)
            visit(input, found)
        case .project(_, let input), .sort(_, let input): visit(input, found)
        case .join(let join):
            if let condition = join.condition { visit(condition, found) }
            visit(join.left, found)
            visit(join.right, found)
        case .aggregate(let aggregate): visit(aggregate.input, found)
        case .window(let window): visit(window.input, found)
        case .limit(let limit): visit(limit.input, found)
        case .unnest(let unnest): visit(unnest.input, found)
        case .setOperation(let operation):
            visit(operation.left, found)
            visit(operation.right, found)
        case .with(let with):
            visit(with.definition, found)
            visit(with.body, found)
        }
    }

    private static func visit(_ expression: BoundExpression, _ found: (BoundExpression) -> Void) {
        switch expression {
        case .comparison(_, let left, let right):
            // Against computed values (averages of a subquery) a column may have to change its scale.
            if case .cast(.column, _, _) = left, case .constant = right { found(expression) }
            if case .cast(.column, _, _) = right, case .constant = left { found(expression) }
            visit(left, found)
            visit(right, found)
        case .inList(let value, _): if case .cast(.column, _, _) = value { found(expression) }
        case .and(let terms), .or(let terms): for term in terms { visit(term, found) }
        case .not(let value): visit(value, found)
        case .subquery(let subquery): visit(subquery.plan, found)
        default: break
        }
    }
}
