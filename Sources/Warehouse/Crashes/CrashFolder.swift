import Platform
import SQLTypes

/// The folder `crashes` of a warehouse: a file for each death of a process that served it, written by the parent
/// between two lives, and the list of statements that were pardoned. One process at a time.
package struct CrashFolder: Sendable {
    private let folder: String
    private let fileSystem = LocalFileSystem()
    private static let prefix = "crash-"
    private static let keptFiles = 100

    package init(ofWarehouse directory: String) { folder = FilePath.join(directory, "crashes") }

    /// - Throws: `SQLError` when the disk refuses.
    package func add(_ record: CrashRecord) throws {
        do {
            try fileSystem.makeDirectories(folder)
            let number = String(record.microseconds)
            let name = CrashFolder.prefix + String(repeating: "0", count: max(0, 18 - number.count)) + number
            try fileSystem.replaceDurably(FilePath.join(folder, name), with: record.encoded)
            for old in try names().dropLast(CrashFolder.keptFiles) { try fileSystem.remove(FilePath.join(folder, old)) }
        } catch {
            throw SQLError(error)
        }
    }

    private func names() throws -> [String] {
        try fileSystem.list(folder).filter { $0.hasPrefix(CrashFolder.prefix) && !$0.hasSuffix(".new") }
    }

    /// Oldest first. Files that cannot be read are left out: nothing depends on them but this report.
    package var records: [CrashRecord] {
        ((try? names()) ?? []).compactMap { name in
            (try? fileSystem.readAll(FilePath.join(folder, name))).flatMap { CrashRecord($0) }
        }
    }

    // MARK: Pardons

    private var pardonsPath: String { FilePath.join(folder, "pardoned") }

    /// Since when deaths of a statement count, by its hash.
    var pardons: [UInt64: Int64] {
        guard let bytes = try? fileSystem.readAll(pardonsPath) else { return [:] }
        var pardons: [UInt64: Int64] = [:]
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 2, let hash = UInt64(words[0], radix: 16), let time = Int64(words[1]) else { continue }
            pardons[hash] = time
        }
        return pardons
    }

    func write(_ pardons: [UInt64: Int64]) throws {
        let lines = pardons.sorted { $0.value < $1.value }.map { "\(CrashRecord.hashText($0.key)) \($0.value)\n" }
        do {
            try fileSystem.makeDirectories(folder)
            try fileSystem.replaceDurably(pardonsPath, with: Array(lines.joined().utf8))
        } catch {
            throw SQLError(error)
        }
    }
}
