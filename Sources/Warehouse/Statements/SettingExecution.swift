import Binder
import Catalog
import ColumnStore
import ColumnVectors
import QueryPlan
import SQLSyntax
import SQLTypes

extension SetStatement: StatementProgram {
    var kind: StatementKind { StatementKind("SET") }
    var effects: StatementEffects { .session }
    func check(_ rights: StatementRights) {}
    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws { try execution.set(self) }
}

extension ResetStatement: StatementProgram {
    var kind: StatementKind { StatementKind("RESET") }
    var effects: StatementEffects { .session }
    func check(_ rights: StatementRights) {}
    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws { try execution.reset(self) }
}

extension ShowStatement: StatementProgram {
    var kind: StatementKind { StatementKind("SHOW") }
    var effects: StatementEffects { .session }
    /// What it shows depends on who asks.
    func check(_ rights: StatementRights) {}
    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws { try execution.show(self, snapshot) }
}

/// CANCEL asks another session's statement to end.
extension CancelStatement: StatementProgram {
    var kind: StatementKind { StatementKind("CANCEL") }
    var effects: StatementEffects { .session }
    /// Whose session it is, is known when it runs.
    func check(_ rights: StatementRights) {}

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        let sessions = execution.warehouse.sessions
        guard let number = Int(exactly: processID), let owner = sessions.user(of: number) else {
            throw SQLError(
                .invalidParameterValue, "PID \(processID) is not a session of this server", at: position)
        }
        guard execution.user.isSuperuser || owner == execution.user.id else {
            throw SQLError(.insufficientPrivilege, "must be superuser to cancel other users' queries")
        }
        _ = sessions.cancel(number, by: execution.session.effectiveUser)
        try execution.handler.end(tag: kind.name)
    }
}

extension StatementExecution {
    fileprivate func set(_ statement: SetStatement) throws {
        if statement.name == "session_characteristics" || statement.name == "transaction" {
            try setTransaction(statement)
            return try handler.end(tag: "SET")
        }
        if statement.name == "session_authorization" { return try setSessionUser(statement.value) }
        let isLocal = statement.scope == .local
        switch statement.value {
        case .defaultValue: try session.setParameter(statement.name, nil, isLocal: isLocal)
        case .list(let values):
            let text = values.map(\.settingText).joined(separator: ", ")
            try session.setParameter(statement.name, text, isLocal: isLocal)
        case .interval(let offset):
            try session.setParameter(statement.name, try zone(offset), isLocal: isLocal)
        }
        try handler.end(tag: "SET")
    }

    /// SET TIME ZONE INTERVAL: the offset as ISO 8601 writes it.
    private func zone(_ literal: IntervalLiteral) throws -> String {
        let bytes = Array(literal.text.utf8) + [0]
        let offset = try bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return Interval(months: 0, microseconds: 0) }
            return try IntervalText.parse(base, bytes.count - 1)
        }
        let minutes = offset.microseconds / Calendar.microsecondsPerMinute
        guard offset.months == 0, literal.qualifier == nil, (-960...960).contains(minutes),
            minutes * Calendar.microsecondsPerMinute == offset.microseconds
        else {
            throw SQLError(
                .invalidParameterValue, "invalid interval value for time zone: \"\(literal.text)\"",
                at: literal.position)
        }
        let (hours, rest) = minutes.magnitude.quotientAndRemainder(dividingBy: 60)
        return "\(minutes < 0 ? "-" : "+")\(hours):\(rest < 10 ? "0" : "")\(rest)"
    }

    /// SET TRANSACTION for the open block, SET SESSION CHARACTERISTICS for those that follow.
    private func setTransaction(_ statement: SetStatement) throws {
        guard case .list(let values) = statement.value, let words = values.first?.settingText else { return }
        let isSession = statement.name == "session_characteristics"
        if !isSession && session.transaction == nil {
            return handler.notice("WARNING:  SET TRANSACTION can only be used in transaction blocks")
        }
        let present = session.transaction.map { TransactionModes(isolation: $0.isolation, isReadOnly: $0.isReadOnly) }
        var modes = isSession ? session.defaultTransactionModes : present ?? session.defaultTransactionModes
        let level = try modes.apply(words)
        if !isSession { return try session.transaction?.change(modes) ?? () }
        try session.changeSettings { settings in
            if let level { try settings.set("default_transaction_isolation", level) }
            try settings.set("default_transaction_read_only", modes.isReadOnly ? "on" : "off")
        }
    }

    fileprivate func reset(_ statement: ResetStatement) throws {
        if statement.name == "use" {
            session.use(nil)
            return try handler.end(tag: "RESET")
        }
        if statement.name == "session_authorization" { return try setSessionUser(.defaultValue) }
        try session.resetParameter(statement.name)
        try handler.end(tag: "RESET")
    }

    fileprivate func show(_ statement: ShowStatement, _ snapshot: StoreSnapshot) throws {
        switch statement {
        case .parameter("use", _): try showUse(snapshot)
        case .parameter(let name, _):
            let system = SystemParameter(name: name).map { warehouse.systemSettings.value($0) }
            try send([try system ?? session.settings.value(name)], column: name, tag: "SHOW")
        case .all:
            let columns = ["name", "setting"].map { ResultColumn(name: $0, type: .varchar(256)) }
            try handler.begin(columns: columns)
            let batch = ColumnBatch(types: columns.map(\.type))
            for name in SessionSettings.names {
                try batch.append([.text(name), .text(try session.settings.value(name))])
            }
            for parameter in SystemParameter.allCases {
                try batch.append([
                    .text(parameter.rawValue), .text(warehouse.systemSettings.value(parameter)),
                ])
            }
            try handler.rows(batch)
            try handler.end(tag: "SHOW")
        case .metadata(let metadata): try showMetadata(metadata, snapshot)
        }
    }
}
