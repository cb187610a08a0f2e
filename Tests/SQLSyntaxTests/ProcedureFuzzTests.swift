import SQLTypes
import Testing

@testable import SQLSyntax

/// Bodies of procedures, cut off anywhere and with words in other places: an error with a state, or a tree; no trap.
struct ProcedureFuzzTests {
    private static let body = """
        <<main>>
        declare
          a int := 5; b constant varchar(20) not null default 'x'; c t.id%type; d t%rowtype; e record; f a%type;
          g alias for $1; h refcursor; i cursor (k int) for select id from t where id > k;
        begin
          a := a + 1; e.x = 2; main.a := (select max(id) from t);
          if a > 1 and b = 'y' then null; elsif a is null then return; else a := count(*) from t; end if;
          case a when 1, 2 then null; when 3 then a := 4; else a := 5; end case;
          case when a = 1 then null; end case;
          <<rows>> loop exit rows when a > 3; continue when a = 2; end loop rows;
          while a < 10 loop a := a + 1; end loop;
          for n in reverse 10..1 by 2 loop null; end loop;
          for e in select * from t where id = a order by 1 loop perform f(e.id); end loop;
          for e in execute 'select ' || a loop null; end loop;
          for e in i(3) loop null; end loop;
          select id, name into a, b2 from t where id = $1; select into a 1; with x as (select 1) select * into e from x;
          execute 'select $1' into a using 1, b; insert into t (id) values (a); update t set id = a where id = p;
          open h for select 1; fetch h into a; move h; close h; open i(4); fetch next from i into e;
          get diagnostics a := row_count; raise info '% %%', a; raise exception 'no'; commit; rollback; call q(a, 1);
          begin null; exception when others then raise; end;
          create temp table u as select a as x; truncate t; drop table if exists u;
        exception when others then
          raise notice '% %', sqlstate, sqlerrm;
        end main;
        """

    private struct Random {
        var state: UInt64
        mutating func below(_ limit: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(limit))
        }
    }

    private func check(_ text: String) {
        do {
            _ = try ProcedureBody.parse(text, parameters: ["p", nil])
        } catch {
            let state = SQLError(error).state.code
            #expect(["42", "54", "22", "0A"].contains(String(state.prefix(2))), "\(text): \(state)")
        }
    }

    @Test func wholeBodyIsRead() throws {
        let text = ProcedureFuzzTests.body.replacing("b2 from", with: "f from")
        let body = try ProcedureBody.parse(text, parameters: ["p", nil])
        #expect(body.variables.count > 12 && body.textCount > 40)
    }

    @Test func truncations() {
        let bytes = Array(ProcedureFuzzTests.body.utf8)
        for count in 0..<bytes.count { check(String(decoding: bytes[..<count], as: UTF8.self)) }
    }

    @Test func mutations() {
        let words = ProcedureFuzzTests.body.split { $0 == " " || $0 == "\n" }.map(String.init)
        var random = Random(state: 88_172_645_463_325_252)
        for _ in 0..<4_000 {
            var changed = words
            for _ in 0...random.below(4) {
                let place = random.below(changed.count)
                switch random.below(5) {
                case 0: changed.remove(at: place)
                case 1: changed[place] = words[random.below(words.count)]
                case 2: changed.insert(words[random.below(words.count)], at: place)
                case 3: changed.swapAt(place, random.below(changed.count))
                default:
                    var bytes = Array(changed[place].utf8)
                    bytes[random.below(bytes.count)] = UInt8(32 + random.below(95))
                    changed[place] = String(decoding: bytes, as: UTF8.self)
                }
            }
            check(changed.joined(separator: " "))
        }
    }

    @Test func lines() throws {
        let body = try ProcedureBody.parse("\nbegin\n  null;\n  commit;\nend", parameters: [])
        #expect(body.block.line == 1)
        #expect(body.block.statements.map(\.line) == [2, 3])
    }
}
