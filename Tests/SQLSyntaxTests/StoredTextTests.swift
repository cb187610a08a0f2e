import SQLSyntax
import SQLTypes
import Testing

/// Definitions in the catalog: those written before backslashes were escapes keep their meaning, new ones have the
/// meaning that they were written with.
@Suite struct StoredTextTests {
    private func kept(_ query: String) throws -> String? {
        let statement = try Parser.parse("create view v as \(query)").first?.statement
        guard case .createView(let view) = statement else { return nil }
        return view.queryText
    }

    @Test func oldDefinitions() throws {
        let old = try Parser.parseQuery(#"select a from t where b like 'x\_y' or c = '\'"#, options: .stored)
        let same = try Parser.parseQuery(#"select a from t where b like 'x\\_y' or c = '\\'"#)
        #expect(old == same)
        #expect(
            StoredText.statementText(#"select 'x\_y', 'a''\', E'\t', "q\", 'z' -- '\'"#)
                == #"select E'x\\_y', E'a''\\', E'\t', "q\", 'z' -- '\'"#)
    }

    @Test(arguments: [
        (#"select 'a\\d', 'it\'s', 'plain', E'\t'"#, #"select E'a\\d', 'it''s', 'plain', E'\t'"#),
        (#"select N'\\' -- 'x\\'"#, #"select E'\\'"#), ("select 'a''b' || $$\\$$", "select 'a''b' || $$\\$$"),
    ])
    func newDefinitions(_ pair: (String, String)) throws {
        let text = try #require(try kept(pair.0))
        #expect(text == pair.1)
        #expect(try Parser.parseQuery(text, options: .stored) == Parser.parseQuery(pair.0))
        #expect(try Parser.parseQuery(text) == Parser.parseQuery(pair.0))
    }

    /// A literal in pieces on several lines, of which a later one has an escape.
    @Test func pieces() throws {
        let query = "select 'a'\n  'b\\\\c'"
        let text = try #require(try kept(query))
        #expect(try Parser.parseQuery(text, options: .stored) == Parser.parseQuery(query))
    }

    @Test(arguments: ["plain", "it's", #"a\b"#, #"\'"#, #"\\"#, "", "é\\", "a\nb\\n"])
    func literals(_ text: String) throws {
        for options in [SyntaxOptions.standard, .stored] {
            guard case .literal(let literal) = try Parser.parseExpression(SQLPrinter.literal(text), options: options)
            else { Issue.record("no literal: \(text)"); continue }
            #expect(literal.value == .string(text))
        }
    }

    @Test(arguments: [
        (#"create user u password 'Ab\'1; c'"#, "create user u password '***'"),
        (#"alter user u password 'a\\' valid until 'x'"#, "alter user u password '***' valid until 'x'"),
        (
            "create procedure p() as $b$ begin copy t from 's' credentials 'k'; end $b$ language plpgsql",
            "create procedure p() as $b$ begin copy t from 's' credentials '***'; end $b$ language plpgsql"
        ),
        ("select $$the token is '1'$$", "select $$the token is '1'$$"),
    ])
    func secrets(_ pair: (String, String)) {
        #expect(SecretRedaction.redacted(pair.0) == pair.1)
    }

    @Test func nullMarks() throws {
        func option(_ sql: String) throws -> String? {
            guard case .copy(let copy) = try Parser.parse("copy t from 's3://x' null as \(sql)").first?.statement,
                case .string(let text, _)? = copy.options.first?.values.first
            else { return nil }
            return text
        }
        #expect(try option(#"'\N'"#) == #"\N"#)
        #expect(try option(#"'\\N'"#) == #"\N"#)
        #expect(try option(#"'\0'"#) == #"\0"#)
        #expect(try option(#"'\000'"#) == #"\0"#)
        #expect(try option(#"'x\Ny'"#) == "xNy")
    }
}
