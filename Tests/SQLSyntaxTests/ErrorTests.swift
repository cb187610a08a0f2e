import SQLSyntax
import SQLTypes
import Testing

@Suite struct ErrorTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let sql: String
        let message: String
        let position: Int
        var hint: String?
        var testDescription: String { sql }
    }

    static let cases: [Case] = [
        Case(
            sql: "SELECT * FORM t", message: "syntax error at or near \"FORM\"", position: 10,
            hint: "Did you mean FROM?"),
        Case(
            sql: "select a form t", message: "syntax error at or near \"t\"", position: 15,
            hint: "Did you mean FROM?"),
        Case(sql: "selct 1", message: "syntax error at or near \"selct\"", position: 1, hint: "Did you mean SELECT?"),
        Case(sql: "drop tabl t", message: "syntax error at or near \"tabl\"", position: 6, hint: "Did you mean TABLE?"),
        Case(sql: "select", message: "syntax error at end of input", position: 7),
        Case(sql: "select 1 +", message: "syntax error at end of input", position: 11),
        Case(sql: "select (1", message: "syntax error at end of input", position: 10),
        Case(sql: "select 1)", message: "syntax error at or near \")\"", position: 9),
        Case(sql: "select 'abc", message: "unterminated quoted string at or near \"'abc\"", position: 8),
        Case(sql: "select \"abc", message: "unterminated quoted identifier at or near \"\"abc\"", position: 8),
        Case(sql: "select /* x", message: "unterminated /* comment at or near \"/* x\"", position: 8),
        Case(sql: "select $$x", message: "unterminated dollar-quoted string at or near \"$$x\"", position: 8),
        Case(sql: "select \"\"", message: "zero-length delimited identifier at or near \"\"\"\"", position: 8),
        // Positions count characters, not bytes.
        Case(sql: "select 'é€𝄞' + from", message: "syntax error at or near \"from\"", position: 16),
        // Redshift's own reserved words.
        Case(sql: "select tag from t", message: "syntax error at or near \"tag\"", position: 8),
        Case(sql: "create table t (raw int)", message: "syntax error at or near \"raw\"", position: 17),
        Case(sql: "select 1; select 2 x y", message: "syntax error at or near \"y\"", position: 22),
    ]

    @Test(arguments: cases)
    func message(_ test: Case) {
        #expect(throws: SQLError.self) { _ = try Parser.parse(test.sql) }
        do throws(SQLError) { _ = try Parser.parse(test.sql) } catch {
            #expect(error.state == .syntaxError)
            #expect(error.message == test.message)
            #expect(error.position == test.position)
            #expect(error.hint == test.hint)
        }
    }

    private func state(_ sql: String) -> SQLState? {
        do throws(SQLError) { _ = try Parser.parse(sql) } catch { return error.state }
        return nil
    }

    @Test func statementSize() {
        let text = "select 1" + String(repeating: " ", count: SyntaxLimits.statementBytes)
        do throws(SQLError) { _ = try Parser.parse(text) } catch {
            #expect(error.state == .limitExceeded)
            #expect(
                error.message
                    == "Statement is too large. Statement Size: 16777224 bytes. Maximum Allowed: 16777216 bytes")
        }
        #expect(state(text) == .limitExceeded)
    }

    @Test(arguments: [
        ("select ", "(", "1", ")"), ("select ", "not ", "true", ""), ("select ", "- ", "a", ""),
        ("select ", "case when true then ", "1", " end"), ("", "select (", "1", ")"), ("select ", "f(", "1", ")"),
        ("select * from ", "(select * from ", "t", ") a"), ("select 1", " union select 1", "", ""),
        ("select 1", " + 1", "", ""), ("select * from a", " join a on true", "", ""), ("select 1", "::int", "", ""),
        ("", "(select 1 union ", "select 1", ")"), ("select * from ", "(", "t", ")"), ("", "explain ", "select 1", ""),
        ("", "with a as (", "select 1", ""), ("select a", "[a", "", ""),
        ("select 1 group by ", "grouping sets (", "", ""),
    ])
    func depth(_ parts: (String, String, String, String)) {
        func text(_ count: Int) -> String {
            parts.0 + String(repeating: parts.1, count: count) + parts.2 + String(repeating: parts.3, count: count)
        }
        #expect(state(text(100_000)) == .statementTooComplex)
    }

    /// What the limits allow can be parsed, printed, compared, hashed and freed on a small stack.
    @Test(arguments: [("(", ")", 490), ("not ", "", 490), ("f(", ")", 240), ("1 + (", ")", 240), ("", " + 1", 990)])
    func allowedDepth(_ parts: (String, String, Int)) throws {
        let (open, close, count) = parts
        let sql = "select " + String(repeating: open, count: count) + "1" + String(repeating: close, count: count)
        let statement = try Parser.parse(sql)[0].statement
        #expect(try Parser.parse(SQLPrinter.print(statement))[0].statement == statement)
        _ = statement.hashValue
    }

    @Test(arguments: [
        ("select 1 where a = 1", " and a = 1"), ("select 1 where a = 1", " or a = 1"), ("select 1", ", 1"),
    ])
    func longFlatChains(_ parts: (String, String)) throws {
        let sql = parts.0 + String(repeating: parts.1, count: 100_000)
        #expect(try Parser.parse(sql).count == 1)
    }

    @Test func longInList() throws {
        let sql = "a in (1" + String(repeating: ", 1", count: 100_000) + ")"
        guard case .inList(let node) = try Parser.parseExpression(sql) else {
            Issue.record("not a list")
            return
        }
        #expect(node.list.count == 100_001)
    }

    @Test func invalidText() {
        do throws(SQLError) { _ = try Parser.parse([0x73, 0xFF, 0xFE]) } catch {
            #expect(error.state == .characterNotInRepertoire)
        }
        #expect(state("select E'\\xff'") == .characterNotInRepertoire)
        #expect(state("select $99999999999999999999") == .undefinedParameter)
    }
}
