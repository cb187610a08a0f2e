import SQLTypes
import Warehouse

/// One record that did not go as its script expects.
package struct TestFailure: Sendable {
    package var file: String
    package var line: Int
    package var message: String
}

/// What running one script came to.
package struct ScriptOutcome: Sendable {
    package var passed = 0
    package var failures: [TestFailure] = []
    /// Queries whose result differs from the script, with what they returned: for completion.
    package var answers: [(QueryExpectation, types: String, lines: [String], header: Int)] = []
}

/// Runs the records of one script against a warehouse of their own. Confined to one thread.
package final class TestScriptRunner {
    private let file: String
    private let directory: String
    private let data: String
    private let world: TestWorld
    private let warehouseDirectory: String
    private var warehouse: Warehouse
    private var sessions: [String: Session] = [:]
    /// Statements that were begun and have not been waited for.
    private var started: [String: StartedStatement] = [:]
    private var labels: [String: [String]] = [:]
    /// SET and RESET of each session, for the sessions that follow a restart.
    private var settings: [String: [String]] = [:]
    /// In which the last statement's session shows times.
    private var zone = ZoneRules.utc
    private var intervals = IntervalStyle.postgres
    /// A temporary table was made: restarts would end it.
    private var hasTemporaryTables = false
    private var outcome = ScriptOutcome()
    /// Called with each record's line before it runs.
    package var willRun: (Int) -> Void = { _ in }
    /// Records that are counted as failed without running: they ended the process before.
    package var avoided: Set<Int> = []
    /// Only records that set something up run besides this line, when it is not nil.
    package var onlyLine: Int?

    /// - Parameters:
    ///   - directory: an empty scratch folder: `__DIR__` in scripts.
    ///   - data: the folder of test data: `__DATA__` in scripts.
    package init(file: String, directory: String, data: String, world: TestWorld) throws {
        self.file = file
        self.directory = directory
        self.data = data
        self.world = world
        warehouseDirectory = directory + "/warehouse"
        warehouse = try Warehouse(
            directory: warehouseDirectory, options: TestScriptRunner.options(world, directory))
    }

    /// `s3://` is the folder s3 in the scratch folder.
    private static func options(_ world: TestWorld, _ directory: String) -> WarehouseOptions {
        var options = world.options
        options.s3Root = directory + "/s3"
        return options
    }

    package func run(_ records: [TestRecord]) -> ScriptOutcome {
        for record in records {
            guard record.conditions.allSatisfy(world.holds) else { continue }
            if let onlyLine, record.line > onlyLine { break }
            if case .halt = record.action { break }
            if case .require(let condition) = record.action {
                if world.holds(condition) { continue }
                break
            }
            willRun(record.line)
            if avoided.contains(record.line) {
                fail(record, "the process ended here in an earlier run")
                continue
            }
            run(record)
        }
        for statement in started.values { statement.abandon() }
        for session in sessions.values { try? session.close() }
        warehouse.close()
        return outcome
    }

    private func fail(_ record: TestRecord, _ message: String) {
        if let onlyLine, record.line != onlyLine { return }
        outcome.failures.append(TestFailure(file: file, line: record.line, message: message))
    }
    private func pass(_ record: TestRecord) {
        if let onlyLine, record.line != onlyLine { return }
        outcome.passed += 1
    }

    private func run(_ record: TestRecord) {
        do {
            switch record.action {
            case .statement(let sql, let expectation): check(record, sql, expectation)
            case .query(let sql, let expectation): check(record, sql, expectation)
            case .start(let sql): try start(record, sql)
            case .finish(let expectation): try finish(record, expectation)
            case .file(let name, let content): try ScratchFiles.write(content, to: directory + "/" + name)
            case .reconnect: try sessions.removeValue(forKey: record.session)?.close()
            case .restart: try restart()
            case .halt, .require: break
            }
        } catch {
            fail(record, "\(error)")
        }
    }

    private func session(_ name: String) throws -> Session {
        if let session = sessions[name] { return session }
        let parts = name.split(separator: "@", maxSplits: 1)
        let session = try warehouse.connect(database: parts.count > 1 ? String(parts[1]) : nil)
        for statement in world.preparation + settings[name, default: []] { try session.query(statement) }
        sessions[name] = session
        return session
    }

    private func restart() throws {
        for session in sessions.values { try session.close() }
        sessions = [:]
        warehouse.close()
        warehouse = try Warehouse(
            directory: warehouseDirectory, options: TestScriptRunner.options(world, directory))
    }

    private func execute(_ sql: String, _ name: String) throws -> QueryResult {
        let session = try session(name)
        let result = try session.query(placed(sql))
        zone = (try? session.settings.value("timezone")).flatMap(ZoneRules.named) ?? .utc
        intervals = session.settings.intervalStyle
        if world.restartsAlways {
            let lowered = sql.lowercased()
            let word = lowered.prefix { $0 != " " }
            if lowered == "reset use" { settings[name]?.removeAll { $0.lowercased().hasPrefix("use ") } }
            if ["set", "reset", "use"].contains(word) { settings[name, default: []].append(sql) }
            if lowered.contains("temp") || lowered.contains("#") { hasTemporaryTables = true }
            if isAtRest { try restart() }
        }
        return result
    }

    private func placed(_ sql: String) -> String {
        sql.replacing("__DIR__", with: directory).replacing("__DATA__", with: data)
    }

    /// No session has anything that a restart would take from it.
    private var isAtRest: Bool {
        started.isEmpty && !hasTemporaryTables
            && sessions.values.allSatisfy { $0.transactionStatus == .idle && $0.preparedStatementCount == 0 }
    }

    // MARK: Statements of several sessions at once

    private func start(_ record: TestRecord, _ sql: String) throws {
        guard started[record.session] == nil else { return fail(record, "the session's statement is not finished") }
        let statement = StartedStatement(sql: sql, placed(sql), try session(record.session))
        started[record.session] = statement
        if try statement.waitsForLock(warehouse) { return pass(record) }
        fail(record, "\(sql.shortened)\n  does not wait for a lock")
    }

    private func finish(_ record: TestRecord, _ expectation: StatementExpectation) throws {
        guard let statement = started.removeValue(forKey: record.session) else {
            return fail(record, "the session has started no statement")
        }
        guard let result = statement.result(seconds: 30) else {
            statement.abandon()
            return fail(record, "\(statement.sql.shortened)\n  is still waiting")
        }
        check(record, statement.sql, expectation) { try result.get() }
    }

    // MARK: Statements

    private func check(_ record: TestRecord, _ sql: String, _ expectation: StatementExpectation) {
        check(record, sql, expectation) { try execute(sql, record.session) }
    }

    private func check(
        _ record: TestRecord, _ sql: String, _ expectation: StatementExpectation, _ run: () throws -> QueryResult
    ) {
        let result: QueryResult
        do {
            result = try run()
        } catch let error as SQLError {
            guard case .failure(let state, let pattern) = expectation else {
                return fail(record, "\(sql.shortened)\n  failed: \(Self.describe(error))")
            }
            return checkFailure(record, sql, error, state, pattern)
        } catch {
            return fail(record, "\(sql.shortened)\n  failed with a foreign error: \(error)")
        }
        switch expectation {
        case .failure(let state, let pattern):
            let wanted = [state, pattern].compactMap(\.self).joined(separator: ": ")
            fail(record, "\(sql.shortened)\n  succeeded (\(result.tag)), expected error \(wanted)")
        case .success(let tag?) where tag != result.tag:
            fail(record, "\(sql.shortened)\n  expected tag: \(tag)\n  actual tag:   \(result.tag)")
        case .notice(let pattern) where !result.notices.contains(where: { Self.finds(pattern, $0) }):
            fail(record, "\(sql.shortened)\n  expected notice: \(pattern)\n  actual notices: \(result.notices)")
        default: pass(record)
        }
    }

    private func checkFailure(
        _ record: TestRecord, _ sql: String, _ error: SQLError, _ state: String?, _ pattern: String?
    ) {
        let text = Self.describe(error)
        let wanted = [state, pattern].compactMap(\.self).joined(separator: ": ")
        if (state == nil || state == error.state.code) && (pattern == nil || Self.finds(pattern ?? "", text)) {
            pass(record)
        } else {
            fail(record, "\(sql.shortened)\n  expected error: \(wanted)\n  actual error:   \(text)")
        }
    }

    /// One line with everything an error says.
    package static func describe(_ error: SQLError) -> String {
        var text = "\(error.state.code): \(error.message)"
        if let detail = error.detail { text += " DETAIL: \(detail)" }
        if let hint = error.hint { text += " HINT: \(hint)" }
        if let position = error.position { text += " POSITION: \(position)" }
        return text
    }

    private static func finds(_ pattern: String, _ text: String) -> Bool {
        guard let regex = try? Regex(pattern) else { return text.contains(pattern) }
        return text.firstMatch(of: regex) != nil
    }

    // MARK: Queries

    private func check(_ record: TestRecord, _ sql: String, _ expectation: QueryExpectation) {
        let result: QueryResult
        do {
            result = try execute(sql, record.session)
        } catch let error as SQLError {
            return fail(record, "\(sql.shortened)\n  failed: \(Self.describe(error))")
        } catch {
            return fail(record, "\(sql.shortened)\n  failed with a foreign error: \(error)")
        }
        let types = ResultText.letters(result)
        var lines = ResultText.sorted(ResultText.lines(result, zone: zone, intervals: intervals), expectation.sorting)
        if expectation.isPattern { return checkPatterns(record, sql, expectation, lines) }
        var expected = expectation.lines
        let isHash = expected.first?.contains(" rows hashing to ") == true
        if isHash || lines.count > ResultText.hashThreshold {
            if !isHash { expected = [ResultText.digest(ResultText.sorted(expected, expectation.sorting))] }
            lines = [ResultText.digest(lines)]
        } else if expectation.checksNames {
            lines.insert(result.columns.map(\.name).joined(separator: "|"), at: 0)
            expected =
                Array(expected.prefix(1))
                + ResultText.sorted(Array(expected.dropFirst()), expectation.sorting)
        } else if expectation.sorting == .rowsort {
            expected = ResultText.sorted(expected, .rowsort)
        }
        report(record, sql, expectation, types: types, expected: expected, actual: lines)
    }

    private func report(
        _ record: TestRecord, _ sql: String, _ expectation: QueryExpectation, types: String, expected: [String],
        actual: [String]
    ) {
        if let label = expectation.label {
            if let earlier = labels[label], earlier != actual {
                return fail(record, "\(sql.shortened)\n  differs from the earlier result of label \(label)")
            }
            labels[label] = actual
        }
        let agree =
            expectation.types.count == types.count
            && zip(expectation.types, types).allSatisfy { $0 == "?" || $0 == $1 }
        if agree && expected == actual { return pass(record) }
        outcome.answers.append((expectation, types, actual, record.line))
        var message = sql.shortened
        if !agree { message += "\n  expected types: \(expectation.types)\n  actual types:   \(types)" }
        if expected != actual { message += ResultDifference.text(expected: expected, actual: actual) }
        fail(record, message)
    }

    private func checkPatterns(_ record: TestRecord, _ sql: String, _ expectation: QueryExpectation, _ lines: [String])
    {
        var rest = lines[...]
        for pattern in expectation.lines {
            guard let index = rest.firstIndex(where: { Self.finds(pattern, $0) }) else {
                return fail(
                    record,
                    "\(sql.shortened)\n  no line for: \(pattern)\n  in:\n"
                        + lines.map { "    " + $0 }.joined(separator: "\n"))
            }
            rest = rest[(index + 1)...]
        }
        pass(record)
    }
}

extension String {
    /// Long statements are cut for reports.
    fileprivate var shortened: String {
        utf8.count <= 600 ? self : String(prefix(300)) + " ... (\(utf8.count) bytes)"
    }
}
