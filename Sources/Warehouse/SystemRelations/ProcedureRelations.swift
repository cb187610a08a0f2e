import Catalog
import ColumnStore
import SQLSyntax
import SQLTypes

/// What procedures have done, and what they are: STL/SVL/SYS relations about calls and messages.
enum ProcedureRelations {
    private static let callColumns = """
        userid int, session_userid int, query int, label char(320), xid bigint, pid int, database char(32),
        querytxt char(4000), starttime ts, endtime ts, aborted int, from_sp_call int
        """
    private static let messageColumns = """
        userid int, session_userid int, pid int, xid bigint, query int, recordtime ts, loglevel int,
        loglevel_text varchar(14), message varchar(1024), linenum int, querytext varchar(500), label varchar(320),
        aborted int, message_xid bigint
        """

    static let all: [SystemRelation] =
        ["stl_stored_proc_call", "svl_stored_proc_call"].map { SystemRelation($0, callColumns, rows: calls) }
        + ["stl_stored_proc_messages", "svl_stored_proc_messages"].map {
            SystemRelation($0, messageColumns, rows: messages)
        } + [
            SystemRelation(
                "sys_procedure_call",
                """
                session_user_id int, user_id int, query_id bigint, query_label char(320), transaction_id bigint,
                session_id int, database_name char(128), query_text char(4000), start_time ts, end_time ts,
                status char(10), caller_procedure_query_id bigint
                """, rows: newCalls),
            SystemRelation(
                "sys_procedure_messages",
                """
                session_user_id int, user_id int, transaction_id bigint, session_id int, query_id bigint,
                record_time ts, log_level int, log_level_text char(14), message char(1024), line_number int
                """, rows: newMessages),
        ]

    /// information_schema.routines: what users have made.
    static func routines(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let catalog = snapshot.store.catalog
        func add(_ object: any ObjectDefinition, _ type: String?, _ body: String, _ language: String) throws {
            let specific = "\(object.name)_\(object.id.raw)"
            try sink.add([
                .text(snapshot.database), .text(object.schema), .text(specific), .text(snapshot.database),
                .text(object.schema), .text(object.name), .text(object.kind.facts.standardName), .optional(type),
                .optional(type), .text(body), .text(language),
            ])
        }
        for procedure in catalog.allProcedures { try add(procedure, nil, procedure.body, "PLPGSQL") }
        for function in catalog.allFunctions {
            try add(function, function.result.nameWithoutModifiers, function.body, "SQL")
        }
    }

    private static func label(_ text: String) -> Datum { .text(text.isEmpty ? "default" : text) }

    private static func calls(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for call in snapshot.procedures.calls {
            try sink.add([
                .number(call.user), .number(call.sessionUser), .number(call.query), label(call.label),
                .wide(call.transaction), .number(call.session), .text(call.database),
                .text(QueryText.oneLine(call.text)), .wide(call.startMicroseconds), .wide(call.endMicroseconds),
                .number(call.isAborted ? 1 : 0), call.caller.map { .number($0) } ?? .null,
            ])
        }
    }

    private static func newCalls(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for call in snapshot.procedures.calls {
            try sink.add([
                .number(call.sessionUser), .number(call.user), .number(call.query), label(call.label),
                .wide(call.transaction), .number(call.session), .text(call.database),
                .text(QueryText.oneLine(call.text)), .wide(call.startMicroseconds), .wide(call.endMicroseconds),
                .text(call.isAborted ? "failed" : "success"), call.caller.map { .number($0) } ?? .null,
            ])
        }
    }

    /// A message is of an aborted call when its call ended with an error.
    private static func messages(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let aborted = Set(snapshot.procedures.calls.filter(\.isAborted).map(\.query))
        for message in snapshot.procedures.messages {
            try sink.add([
                .number(message.user), .number(message.sessionUser), .number(message.session),
                .wide(message.transaction), .number(message.query), .wide(message.microseconds),
                .number(message.level.number), .text(message.level.rawValue), .text(message.text),
                .number(message.line), .text(message.queryText), label(message.label),
                .number(aborted.contains(message.query) ? 1 : 0), .wide(message.transaction),
            ])
        }
    }

    private static func newMessages(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for message in snapshot.procedures.messages {
            try sink.add([
                .number(message.sessionUser), .number(message.user), .wide(message.transaction),
                .number(message.session), .number(message.query), .wide(message.microseconds),
                .number(message.level.number), .text(message.level.rawValue), .text(message.text),
                .number(message.line),
            ])
        }
    }
}

extension ProcedureDefinition {
    /// CREATE PROCEDURE as SHOW PROCEDURE tells it.
    var shownText: String {
        let list = parameters.map { parameter in
            [
                parameter.name.map { CatalogArray.quoted($0) }, parameter.mode == .input ? nil : parameter.mode.word,
                parameter.typeName,
            ].compactMap { $0 }.joined(separator: " ")
        }
        var text =
            "CREATE OR REPLACE PROCEDURE \(CatalogArray.quoted(schema)).\(CatalogArray.quoted(name))("
            + list.joined(separator: ", ") + ")"
        if isNonatomic { text += " NONATOMIC" }
        text += "\nLANGUAGE plpgsql\n"
        if isDefiner { text += "SECURITY DEFINER\n" }
        for setting in settings { text += "SET \(setting.name) TO '\(setting.value)'\n" }
        return text + "AS \(quote)\(body)\(quote)\n"
    }

    /// A dollar quote that the body does not end.
    private var quote: String {
        var quote = "$$", number = 0
        while body.contains(quote) || body.hasSuffix("$") && quote == "$$" {
            number += 1
            quote = "$body\(number)$"
        }
        return quote
    }

    /// The list of what it takes, as catalogs write it.
    var inputList: String { inputs.map(\.typeWord).joined(separator: ", ") }
}
