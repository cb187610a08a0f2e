import Glibc
import Platform
import SQLTypes

/// An object of S3 that is being written, as an upload in parts: nobody sees it before the upload is completed. Rows
/// that make no part yet wait in memory, or on disk when there are many such objects. One thread at a time.
final class S3OutputObject: OutputObject {
    let name: String
    let location: S3Location
    let notes: ObjectNotes?
    /// nil before the first part.
    private(set) var upload: String?
    private(set) var tags: [String] = []
    private let client: S3Client
    private let waiting: S3WaitingBytes
    private var buffer: TextBuffer?
    private var extents: [S3WaitingBytes.Extent] = []
    private var extentBytes = 0

    init(
        _ name: String, _ location: S3Location, _ client: S3Client, _ waiting: S3WaitingBytes, _ notes: ObjectNotes?
    ) {
        self.notes = notes
        self.name = name
        self.location = location
        self.client = client
        self.waiting = waiting
    }
    deinit { waiting.remove(buffer?.count ?? 0) }

    func append(_ bytes: UnsafeRawBufferPointer) throws {
        let part = client.configuration.partBytes
        var rest = bytes
        while let start = rest.baseAddress, !rest.isEmpty {
            let buffer = self.buffer ?? TextBuffer(capacity: min(rest.count, part))
            self.buffer = buffer
            let count = min(rest.count, max(part - buffer.count - extentBytes, 0))
            buffer.append(start.assumingMemoryBound(to: UInt8.self), count)
            waiting.add(count)
            if buffer.count + extentBytes >= part { try sendPart() }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    /// What waits goes to disk when too much waits.
    func rest() {
        guard let buffer, buffer.count > 0, waiting.isTooMuch else { return }
        // Without room on disk it waits in memory.
        guard let extent = waiting.store(buffer.bytes) else { return }
        extents.append(extent)
        extentBytes += buffer.count
        dropBuffer()
    }

    func close() throws {
        if extentBytes + (buffer?.count ?? 0) > 0 { try sendPart() }
    }

    private func dropBuffer() {
        waiting.remove(buffer?.count ?? 0)
        buffer = nil
    }

    private func sendPart() throws {
        if tags.count >= S3Configuration.largestPartCount {
            throw SQLError(
                .limitExceeded, "\"\(location.url)\" would have more than 10,000 parts",
                hint: "Take a smaller MAXFILESIZE.")
        }
        if !extents.isEmpty { try fetchExtents() }
        guard let buffer else { return }
        let id = try upload ?? client.beginUpload(location, notes)
        upload = id
        tags.append(
            try client.upload(location, upload: id, part: tags.count + 1, UnsafeRawBufferPointer(buffer.bytes)))
        dropBuffer()
    }

    /// All of the part is in the buffer afterwards, in order.
    private func fetchExtents() throws {
        let whole = TextBuffer(capacity: extentBytes + (buffer?.count ?? 0))
        for extent in extents {
            let target = UnsafeMutableRawBufferPointer(start: whole.room(extent.count), count: extent.count)
            try waiting.fetch(extent, into: target)
            whole.advance(extent.count)
        }
        if let buffer { whole.append(buffer.bytes) }
        waiting.add(extentBytes)
        buffer = whole
        extents = []
        extentBytes = 0
    }
}
