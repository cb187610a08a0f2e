import Testing

/// `try?` hides why something failed. It may stand where the reason makes no difference, and the reason for that is in
/// this list; everywhere else a failure is thrown, told or handled.
struct SwallowedErrorTests {
    /// How many a file has, and why they hide no fault.
    private static let proven: [String: (count: Int, why: String)] = [
        "Sources/BulkTransfer/Conversion/DatetimeFields.swift": (4, "nil is a bad field, reported with its line"),
        "Sources/ColumnStore/Files/DiscardedFiles.swift": (2, "orphans go at the next start"),
        "Sources/ColumnStore/Files/TableFolders.swift": (1, "folders with files in them stay"),
        "Sources/ColumnStore/Files/WarehouseDirectory.swift": (5, "looks for orphans: what cannot be seen stays"),
        "Sources/ColumnStore/Log/LogScan.swift": (1, "old segments: the next start skips and removes them"),
        "Sources/ColumnStore/SavedSnapshots/SavedSnapshots.swift": (1, "looks for orphans, as above"),
        "Sources/ColumnStore/Snapshots/TableSnapshot.swift": (3, "no memory for rows of the log: reading them tells"),
        "Sources/ColumnStore/Statistics/AnalysisRegistry.swift": (3, "estimates: doctor tells what cannot be read"),
        "Sources/ColumnStore/Store/Store.swift": (1, "the last checkpoint: the log stays, and is read at the start"),
        "Sources/PGWire/Client/ClientConnection.swift": (1, "a cancel request has no answer"),
        "Sources/PGWire/Conversation/Conversation.swift": (1, "a client's setting that this server does not have"),
        "Sources/PGWire/Conversation/ReportedParameters.swift": (1, "settings that exist"),
        "Sources/RedbarnCommand/Bench/MachineFacts.swift": (1, "a fact that the system does not tell"),
        "Sources/RedbarnCommand/Bench/ProcessMemory.swift": (1, "as above"),
        "Sources/RedbarnCommand/Bench/RunLoopCommand.swift": (1, "closing after the work, which has told its errors"),
        "Sources/RedbarnCommand/Bench/TPCHCommand.swift": (1, "as above"),
        "Sources/RedbarnCommand/Bench/Mixed/MixedCommand.swift": (1, "as above"),
        "Sources/RedbarnCommand/Shell/ShellConnection.swift": (2, "a setting that exists; closing at the very end"),
        "Sources/SQLSyntax/Lexer/SecretRedaction.swift": (1, "text that is no SQL is hidden from there on"),
        "Sources/SQLSyntax/Lexer/StatementTemplate.swift": (1, "text that is no SQL has no template: the parser tells"),
        "Sources/SQLSyntax/Parser/StoredText.swift": (1, "text that is no SQL is kept as it is: the parser tells"),
        "Sources/SQLTypes/ZoneFile.swift": (3, "no such zone, or no list of them: the caller tells"),
        "Sources/VectorEngine/Expressions/DomainEvaluation.swift": (2, "no table: row by row, which tells what fails"),
        "Sources/VectorEngine/Expressions/Membership.swift": (1, "no bitmap: by search"),
        "Sources/VectorEngine/Scan/ConjunctCompiler.swift": (1, "no table: row by row, which tells what fails"),
        "Sources/Warehouse/SystemRelations/AccountHistoryRelations.swift": (1, "what ran was parsed"),
        "Sources/Warehouse/Crashes/CrashFolder.swift": (3, "a report of deaths; nothing depends on it"),
        "Sources/Warehouse/Crashes/CrashRecord.swift": (1, "a program whose file cannot be seen is its own version"),
        "Sources/Warehouse/History/HistoryFiles.swift": (3, "a damaged record: told as such by what they return"),
        "Sources/Warehouse/Sessions/Session.swift": (1, "a user's setting that is not allowed any more"),
    ]
    /// Tools of the tests.
    private static let tools: Set<String> = ["TestSupport", "RedbarnSLT"]

    static func count(_ code: [String]) -> Int {
        code.reduce(0) { sum, line in
            // The end of `Entry?` is none.
            sum + line.ranges(of: "try?").count { !(line[..<$0.lowerBound].last?.isLetter ?? false) }
        }
    }

    @Test func errorsAreNotSwallowed() throws {
        for file in try SourceFile.all(below: "Sources") where !Self.tools.contains(file.target) {
            let (found, allowed) = (Self.count(file.code), Self.proven[file.path]?.count ?? 0)
            #expect(found <= allowed, "\(file.path): throw, tell or handle it; or say in this list why nothing is lost")
            #expect(found >= allowed, "\(file.path): the list can be shorter now")
        }
    }

    @Test func theRuleFindsWhatItShould() {
        #expect(Self.count(["let a = try? b()", "case is Entry?: nil", "(try? c()) ?? (try? d())"]) == 3)
    }
}
