import Platform
import SQLTypes

/// All files of a load. Workers ask it for their next piece; files are opened as workers run out of work, so that at
/// most one file per worker is open as a stream. Safe from any thread.
final class FeedList: Sendable {
    private struct State {
        var nextFile = 0
        var active: [any FileFeed] = []
    }
    let objects: [LoadObject]
    private let source: any LoadSource
    private let options: CopyOptions
    private let pieceBytes: Int
    private let openLimit: Int
    private let state = Lock(State())

    init(
        _ objects: [LoadObject], source: any LoadSource, options: CopyOptions, pieceBytes: Int, openLimit: Int
    ) {
        self.objects = objects
        self.source = source
        self.options = options
        self.pieceBytes = pieceBytes
        self.openLimit = max(openLimit, 1)
    }

    /// Fills the chunk with some piece; false when all files are used up. Waits only for threads that are reading.
    func next(_ chunk: ChunkBuffer) throws -> Bool {
        while true {
            let active = state.withLock { $0.active }
            for feed in active {
                switch try feed.claim(chunk, wait: false) {
                case .claimed: return true
                case .busy: continue
                case .exhausted: remove(feed)
                }
            }
            if try openNext() { continue }
            guard let first = state.withLock({ $0.active.first }) else { return false }
            switch try first.claim(chunk, wait: true) {
            case .claimed: return true
            case .busy: continue
            case .exhausted: remove(first)
            }
        }
    }

    private func remove(_ feed: any FileFeed) {
        state.withLock { $0.active.removeAll { $0 === feed } }
    }

    /// True when the list of open files has changed.
    private func openNext() throws -> Bool {
        try state.withLock { state in
            guard state.nextFile < objects.count, state.active.count < openLimit else { return false }
            let file = state.nextFile
            state.nextFile += 1
            // Empty objects are the folder markers of object stores, or no files at all.
            if objects[file].sizeBytes > 0 { state.active.append(try open(file)) }
            return true
        }
    }

    private func open(_ file: Int) throws -> any FileFeed {
        let object = objects[file]
        let input = try source.open(object)
        var head = [UInt8](repeating: 0, count: CompressionDetection.headBytes)
        let count = try head.withUnsafeMutableBytes { try input.read(into: $0, at: 0) }
        head.removeLast(head.count - count)
        try CompressionDetection.check(head, name: object.name, options)
        let border = RecordBorder(options)
        if options.compression == .none && options.encoding == .utf8 && border == .newline {
            let mark = head.withUnsafeBufferPointer { HeaderLines.byteOrderMark($0) }
            let start = try HeaderLines.end(
                input, lines: options.ignoreHeader, size: object.sizeBytes, markBytes: mark)
            return RangeFeed(
                input, file: file, name: object.name, start: start, size: object.sizeBytes, pieceBytes: pieceBytes)
        }
        return StreamFeed(
            try stream(input, object), file: file, name: object.name, border: border,
            headerLines: options.ignoreHeader, pieceBytes: pieceBytes)
    }

    private func stream(_ input: any LoadInput, _ object: LoadObject) throws -> any ByteStream {
        let name = object.name
        let stream: any ByteStream =
            switch options.compression {
            case .none: PlainStream(input, object)
            case .gzip: try GzipStream(input, name: name)
            case .zstd: try ZstdStream(input, name: name)
            case .bzip2: try Bzip2Stream(input, name: name)
            case .lzop: try LzopStream(input, name: name)
            }
        return options.encoding == .utf8 ? stream : TranscodingStream(stream, options.encoding)
    }
}
