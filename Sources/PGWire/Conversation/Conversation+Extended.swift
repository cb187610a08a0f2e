import SQLTypes
import Synchronization
import Warehouse

/// Parse, Bind, Describe, Execute, Close.
extension Conversation {
    func parse(_ message: ParseMessage) throws {
        if !message.name.isEmpty, session.preparedStatement(message.name) != nil {
            throw SQLError("42P05", "prepared statement \"\(message.name)\" already exists")
        }
        let types = message.parameterTypes.map { WireType.parameterType(oid: $0) }
        var statement = try session.prepare(message.sql, parameterTypes: types)
        for (index, oid) in message.parameterTypes.enumerated() where ArrayTypeID.element(of: oid) != nil {
            statement.parameterArrays[index] = oid
        }
        if message.name.isEmpty {
            unnamed = statement
        } else {
            guard session.preparedStatementCount < limits.namedObjects else {
                throw SQLError(.limitExceeded, "too many prepared statements")
            }
            session.setPrepared(message.name, statement)
        }
        PlainMessage.parseComplete.encode(into: buffer)
    }

    private func statement(_ name: String) throws -> PreparedStatement {
        if let statement = name.isEmpty ? unnamed : session.preparedStatement(name) { return statement }
        throw SQLError(
            "26000",
            name.isEmpty
                ? "unnamed prepared statement does not exist"
                : "prepared statement \"\(name)\" does not exist")
    }

    private func portal(_ name: String) throws -> Portal {
        if let portal = portals[name] { return portal }
        throw SQLError("34000", "portal \"\(name)\" does not exist")
    }

    func bind(_ message: BindMessage) throws {
        let statement = try statement(message.statement)
        if !message.portal.isEmpty, portals[message.portal] != nil {
            throw SQLError("42P03", "cursor \"\(message.portal)\" already exists")
        }
        guard portals.count < limits.namedObjects else {
            throw SQLError(.limitExceeded, "too many portals")
        }
        let types = statement.parameterTypes
        guard message.values.count == types.count else {
            throw ProtocolViolation.error(
                "bind message supplies \(message.values.count) parameters, but prepared statement "
                    + "\"\(message.statement)\" requires \(types.count)")
        }
        guard message.parameterFormats.covers(types.count) else {
            throw ProtocolViolation.error(
                "bind message has \(message.parameterFormats.count) parameter formats but \(types.count) parameters"
            )
        }
        if let columns = statement.columns, !message.resultFormats.covers(columns.count) {
            throw ProtocolViolation.error(
                "bind message has \(message.resultFormats.count) result formats but query has "
                    + "\(columns.count) columns")
        }
        let decoder = ParameterDecoder(context: session.datetime)
        let parameters = try session.attributed(to: statement.text) {
            try message.values.enumerated().map { index, value in
                let isBinary = message.parameterFormats.isBinary(index)
                if let value, isBinary, statement.parameterArrays[index] != nil {
                    let text = try ArrayBinary.text(value, context: session.datetime)
                    return try decoder.decode(text, type: types[index], isBinary: false)
                }
                return try decoder.decode(value, type: types[index], isBinary: isBinary)
            }
        }
        portals[message.portal] = Portal(
            statement: statement, parameters: parameters, formats: message.resultFormats)
        PlainMessage.bindComplete.encode(into: buffer)
    }

    func describe(_ message: DescribeMessage) throws {
        switch message.target {
        case .statement(let name):
            let statement = try statement(name)
            ParameterDescription(types: statement.parameterTypes, arrays: statement.parameterArrays)
                .encode(into: buffer)
            encode(statement.columns, .text)
        case .portal(let name):
            // Cursors of SQL are portals to clients: psycopg describes what it has declared.
            if portals[name] == nil, let columns = session.columns(ofCursor: name) { return encode(columns, .text) }
            let portal = try portal(name)
            encode(portal.statement.columns, portal.formats)
        }
    }

    private func encode(_ columns: [ResultColumn]?, _ formats: FormatCodes) {
        if let columns {
            RowDescription(columns: columns, formats: formats, version: version).encode(into: buffer)
        } else {
            PlainMessage.noData.encode(into: buffer)
        }
    }

    func close(_ message: CloseMessage) {
        switch message.target {
        case .statement(let name):
            if name.isEmpty { unnamed = nil } else { session.setPrepared(name, nil) }
        case .portal(let name): portals[name] = nil
        }
        PlainMessage.closeComplete.encode(into: buffer)
    }

    func execute(_ message: ExecuteMessage) throws {
        let portal = try portal(message.portal)
        if portal.statement.isEmpty { return PlainMessage.emptyQueryResponse.encode(into: buffer) }
        if case .ready = portal.progress {
            try start(portal, inParts: message.maximumRows > 0)
        } else {
            if case .done = portal.progress { return try runAgain(portal, message.portal) }
        }
        if case .reading(let spool) = portal.progress {
            try sendPart(of: portal, spool, message.maximumRows == 0 ? Int.max : message.maximumRows)
        }
    }

    private func runAgain(_ portal: Portal, _ name: String) throws {
        guard portal.statement.columns != nil else {
            throw SQLError(.objectNotInState, "portal \"\(name)\" cannot be run")
        }
        CommandComplete(tag: "SELECT 0").encode(into: buffer)
    }

    private func start(_ portal: Portal, inParts: Bool) throws {
        statistics.statements.add(1, ordering: .relaxed)
        let spool =
            inParts && portal.statement.columns != nil
            ? ResultSpool(
                directory: limits.spoolDirectory, memoryLimit: limits.portalMemoryBytes,
                fileLimit: limits.spoolBytes, allowance: session.makeResultAllowance())
            : nil
        let stream = makeStream(
            formats: portal.formats, describesRows: false, buffer: spool == nil ? nil : TextBuffer(),
            portal: spool)
        portal.progress = .done
        defer { hasNewSettings = hasNewSettings || stream.changedSettings }
        try session.execute(portal.statement, parameters: portal.parameters, stream)
        if let spool { portal.progress = .reading(spool) }
    }

    /// Up to so many rows; then either the tag or word that there may be more.
    private func sendPart(of portal: Portal, _ spool: ResultSpool, _ maximumRows: Int) throws {
        var sent = 0
        while sent < maximumRows, let bytes = try spool.take() {
            let (length, rows) = PortalReading.prefix(bytes, rows: maximumRows - sent)
            bytes.withUnsafeBufferPointer { buffer.append(UnsafeBufferPointer(rebasing: $0[..<length])) }
            sent += rows
            if length < bytes.count { spool.putBack(Array(bytes[length...])) }
            if buffer.count >= ServerLimits.chunkBytes { flush() }
        }
        if sent == maximumRows {
            PlainMessage.portalSuspended.encode(into: buffer)
        } else {
            portal.progress = .done
            CommandComplete(tag: "SELECT \(sent)").encode(into: buffer)
        }
    }
}
