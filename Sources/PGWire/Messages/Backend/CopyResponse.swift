import SQLTypes
import Warehouse

/// `G` and `H`: the client is to send rows, or gets some, in one format for all columns.
struct CopyResponse: BackendMessage {
    enum Direction { case fromClient, toClient }
    var direction: Direction
    var isBinary: Bool
    var columnCount: Int

    func encode(into buffer: TextBuffer) {
        buffer.message(direction == .fromClient ? UInt8(ascii: "G") : UInt8(ascii: "H")) {
            buffer.append(isBinary ? 1 : 0 as UInt8)
            buffer.append(int16: Int16(truncatingIfNeeded: columnCount))
            for _ in 0..<columnCount { buffer.append(int16: isBinary ? 1 : 0) }
        }
    }
}

/// Binary COPY: its signature with flags and an empty extension, and its end.
enum BinaryCopy {
    static let header = Array("PGCOPY\n".utf8) + [0xFF, 13, 10, 0] + [0, 0, 0, 0, 0, 0, 0, 0]
    static let trailer: [UInt8] = [0xFF, 0xFF]
}
