import SQLSyntax
import SQLTypes
import Testing

@Suite struct ParserTests {
    private func printed(_ sql: String) throws -> String { SQLPrinter.print(try Parser.parseExpression(sql)) }

    /// Full parentheses on the right must mean the same as the bare text on the left.
    @Test(arguments: [
        ("a + b * c", "a + (b * c)"), ("a - b - c", "(a - b) - c"), ("a ^ b ^ c", "(a ^ b) ^ c"),
        ("not a = b", "not (a = b)"), ("a or b and c", "a or (b and c)"), ("-a ^ b", "(-a) ^ b"),
        ("a = b is null", "(a = b) is null"), ("a || b = c", "(a || b) = c"), ("a + b || c", "(a + b) || c"),
        ("a between b and c and d", "(a between b and c) and d"), ("a like b || c", "a like (b || c)"),
        ("a::int + 1", "(a::int) + 1"), ("- a::int", "-(a::int)"), ("a in (1) = b", "(a in (1)) = b"),
        ("a at time zone b || c", "(a at time zone b) || c"), ("a is null and b", "(a is null) and b"),
        ("not a is null", "not (a is null)"), ("a % b * c", "(a % b) * c"), ("a < b + 1", "a < (b + 1)"),
    ])
    func precedence(_ pair: (String, String)) throws {
        #expect(try Parser.parseExpression(pair.0) == Parser.parseExpression(pair.1))
    }

    @Test func literals() throws {
        func value(_ sql: String) throws -> Literal.Value? {
            guard case .literal(let literal) = try Parser.parseExpression(sql) else { return nil }
            return literal.value
        }
        #expect(try value("9223372036854775807") == .integer(.max))
        #expect(try value("-9223372036854775808") == .integer(.min))
        #expect(try value("9223372036854775808") == .decimal("9223372036854775808"))
        #expect(try value("-.5") == .decimal("-.5"))
        #expect(try value("1e-3") == .float("1e-3"))
        #expect(try value("'it''s \\n'") == .string("it's \n"))
        #expect(try value(#"'it\'s \\d \x41 \101 \q'"#) == .string(#"it's \d x41 A q"#))
        #expect(try value("E'a\\n\\x41\\101\\u00e9\\''") == .string("a\nAAé'"))
        #expect(try value("$q$ a'$$b $q$") == .string(" a'$$b "))
        #expect(try value("'a'\n  'b'") == .string("ab"))
    }

    @Test func names() throws {
        guard case .name(let name) = try Parser.parseExpression("Db.\"ScheMa\".Tab.\"Co\"\"l\"") else {
            Issue.record("not a name")
            return
        }
        #expect(name.parts.map(\.text) == ["db", "schema", "tab", "co\"l"])
        #expect(name.parts.map(\.original) == ["Db", "ScheMa", "Tab", "Co\"l"])
        #expect(name.parts.map(\.quoted) == [false, true, false, true])
        #expect(name.parts.map(\.position.character) == [1, 4, 13, 17])
        let kept = try Parser.parseExpression("\"Abc\"", options: SyntaxOptions(keepsQuotedCase: true))
        guard case .name(let keptName) = kept else { return }
        #expect(keptName.name == "Abc")
        #expect(SQLPrinter.print(kept) == "\"Abc\"")
    }

    @Test func longNamesAreCut() throws {
        guard case .name(let name) = try Parser.parseExpression(String(repeating: "é", count: 100)) else { return }
        #expect(name.name == String(repeating: "é", count: 63))
    }

    @Test func flatChains() throws {
        guard case .and(let node) = try Parser.parseExpression("a and b and c and d") else {
            Issue.record("not flat")
            return
        }
        #expect(node.terms.count == 4)
    }

    @Test func keywordFunctions() throws {
        #expect(try printed("substring(a from 2 for 3)") == "substring(a, 2, 3)")
        #expect(try printed("trim(leading 'x' from a)") == "ltrim(a, 'x')")
        #expect(try printed("trim(a)") == "btrim(a)")
        #expect(try printed("position('x' in a)") == "POSITION('x' IN a)")
        #expect(try printed("convert(int, a)") == "CAST(a AS int)")
        #expect(try printed("left(a, 1)") == "left(a, 1)")
    }

    @Test func severalStatements() throws {
        let text = " ; select 1 ; -- c\n update t set a = $3;;"
        let statements = try Parser.parse(text)
        #expect(statements.count == 2)
        let bytes = Array(text.utf8)
        #expect(
            statements.map { String(decoding: bytes[$0.byteRange], as: UTF8.self) } == [
                "select 1", "update t set a = $3",
            ])
        #expect(statements.map(\.parameterCount) == [0, 3])
    }

    @Test func copyOptions() throws {
        let sql = """
            copy t from 's3://b' iam_role default format as csv quote as '|' compupdate off null as '' maxerror 5
            """
        guard case .copy(let copy) = try Parser.parse(sql)[0].statement else { return }
        #expect(copy.options.map(\.name) == ["IAM_ROLE", "CSV", "QUOTE", "COMPUPDATE", "NULL", "MAXERROR"])
        #expect(copy.options.map { $0.values.first?.text } == ["default", nil, "|", "off", "", "5"])
    }

    @Test(arguments: [
        ("int2", SQLType.smallint), ("INT", .integer), ("int8", .bigint),
        ("decimal", .decimal(precision: 18, scale: 0)),
        ("numeric(10)", .decimal(precision: 10, scale: 0)), ("numeric(38,37)", .decimal(precision: 38, scale: 37)),
        ("float", .double), ("float(24)", .real), ("float(25)", .double), ("float4", .real),
        ("double precision", .double),
        ("bool", .boolean), ("char", .char(1)), ("bpchar", .char(256)), ("nchar(7)", .char(7)), ("text", .varchar(256)),
        ("varchar", .varchar(256)), ("varchar(max)", .varchar(65_535)), ("character varying(3)", .varchar(3)),
        ("nvarchar(9)", .varchar(9)), ("date", .date), ("hllsketch", .hllsketch),
        ("time", .time), ("time with time zone", .timetz),
        ("timestamp", .timestamp), ("timestamp without time zone", .timestamp), ("timestamptz", .timestamptz),
        ("timestamp(3) with time zone", .timestamptz), ("interval", .interval),
        ("interval year to month", .yearMonthInterval(.yearToMonth)),
        ("interval day to second", .dayTimeInterval(.dayToSecond)),
    ])
    func types(_ pair: (String, SQLType)) throws {
        #expect(try Parser.parseTypeName(pair.0).resolve() == pair.1)
    }

    @Test(arguments: [
        ("numeric(39)", SQLState.invalidParameterValue), ("numeric(5,6)", .invalidParameterValue),
        ("varchar(0)", .invalidParameterValue), ("varchar(65536)", .invalidParameterValue),
        ("char(4097)", .invalidParameterValue), ("float(54)", .invalidParameterValue), ("foo", .undefinedObject),
        ("geometry", .featureNotSupported), ("int[]", .featureNotSupported),
    ])
    func badTypes(_ pair: (String, SQLState)) {
        do throws(SQLError) { _ = try Parser.parseTypeName(pair.0).resolve() } catch {
            #expect(error.state == pair.1)
            return
        }
        Issue.record("accepted \(pair.0)")
    }
}
