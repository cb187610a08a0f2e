import SQLTypes

/// One row that COPY could not load: a row of STL_LOAD_ERRORS.
package struct LoadError: Error, Sendable, Hashable {
    package var file: String
    /// One-based line of the file on which the record begins; header lines count.
    package var line: Int
    /// Empty when the record as a whole is bad.
    package var column: String
    /// As the system table shows it: `int4`, `varchar`.
    package var type: String
    package var length: String
    /// Byte offset of the trouble within the field.
    package var position: Int
    package var rawLine: String
    package var rawField: String
    package var code: Int
    package var reason: String

    package init(
        file: String, line: Int, column: String, type: String, length: String, position: Int, rawLine: String,
        rawField: String, code: Int, reason: String
    ) {
        self.file = file
        self.line = line
        self.column = column
        self.type = type
        self.length = length
        self.position = position
        self.rawLine = rawLine
        self.rawField = rawField
        self.code = code
        self.reason = reason
    }

    /// Bytes of a line or field that are kept.
    static let keptBytes = 1024

    /// Texts that are made of nested values may not become longer; no column takes them.
    static let largestText = 64 << 20

    /// The short form of SYS_LOAD_ERROR_DETAIL and of the client's message.
    package var summary: String {
        var text = "File: \(file), line \(line)"
        if !column.isEmpty { text += ", column \(column) (\(type))" }
        text += ": \(reason) (error \(code))"
        // Columnar files have no lines.
        if !column.isEmpty && !(rawField.isEmpty && rawLine.isEmpty) { text += "\nValue: '\(rawField)'" }
        return rawLine.isEmpty && !column.isEmpty ? text : text + "\nLine: \(rawLine)"
    }
}

/// What a failed COPY throws: the client's error, with the bad rows for the system tables.
package struct LoadFailure: Error, Sendable {
    package var error: SQLError
    package var loadErrors: [LoadError]
    package init(error: SQLError, loadErrors: [LoadError]) {
        self.error = error
        self.loadErrors = loadErrors
    }
}

/// What is wrong with a field or a record, without the place.
struct FieldFailure: Hashable {
    var code: Int
    var reason: String
    var position = 0

    static let delimiterNotFound = FieldFailure(code: 1203, reason: "Delimiter not found")
    static let extraColumns = FieldFailure(code: 1202, reason: "Extra column(s) found")
    static let emptyLine = FieldFailure(code: 1211, reason: "Input line empty")
    static let quoteFormat = FieldFailure(code: 1214, reason: "Invalid quote formatting for CSV")
    static let missingQuote = FieldFailure(code: 1214, reason: "Delimiter not found, closing quotation mark is missing")
    static let shortLine = FieldFailure(code: 1214, reason: "Delimiter not found, line is shorter than FIXEDWIDTH")
    static let missingData = FieldFailure(code: 1213, reason: "Missing data for not-null field")
    static let nulInField = FieldFailure(code: 1218, reason: "Nul terminator in mid-field")
    static let identity = FieldFailure(code: 1217, reason: "Invalid identity column value")
}
