import Platform
import SQLTypes

/// Reads all history files of a warehouse and says what is wrong with them. Changes nothing.
package struct HistoryInspection: Sendable {
    package private(set) var fileCount = 0
    package private(set) var recordCount = 0
    package private(set) var byteCount = 0
    /// Damage, one a line. It costs rows of system tables, never rows of tables.
    package private(set) var problems: [String] = []
    /// Files whose last record is not whole, as a crash leaves them.
    package private(set) var cutOff: [String] = []

    /// - Parameter root: the warehouse's directory; one without a history has nothing to say.
    package init(directory root: String, fileSystem: any FileSystem = LocalFileSystem()) {
        let folder = FilePath.join(root, "history")
        do {
            guard try fileSystem.status(folder) != nil else { return }
            for name in try fileSystem.list(folder) where HistoryFiles.number(name) != nil {
                read(FilePath.join(folder, name), fileSystem)
            }
        } catch {
            problems.append(SQLError(error).message)
        }
    }

    private mutating func read(_ path: String, _ fileSystem: any FileSystem) {
        fileCount += 1
        let bytes: [UInt8]
        do {
            bytes = try fileSystem.readAll(path)
        } catch {
            return problems.append(SQLError(error).message)
        }
        byteCount += bytes.count
        var records = 0
        let end = HistoryFiles.forEachRecord(in: bytes, file: path) { record in
            _ = try HistoryCodec.decode(record, file: path)
            records += 1
        }
        recordCount += records
        switch end {
        case .whole: break
        case .cutOff(let offset): cutOff.append("file \"\(path)\" from byte \(offset) on")
        case .damaged(let offset):
            problems.append("file \"\(path)\" is damaged at byte \(offset) (only history is lost)")
        }
    }
}
