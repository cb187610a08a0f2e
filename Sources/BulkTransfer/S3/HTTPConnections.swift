import Platform

/// Connections that wait for their next request. Safe from any thread.
final class HTTPConnections: Sendable {
    /// A connection goes from one thread to another, but is of one at a time.
    private struct Idle: @unchecked Sendable { var transfers: [HTTPTransfer] = [] }
    private let idle = Lock(Idle())
    private let configuration: S3Configuration
    private static let mostIdle = 32

    init(_ configuration: S3Configuration) { self.configuration = configuration }

    func perform(
        _ request: HTTPRequest, into buffer: UnsafeMutableRawBufferPointer?, sink: (any HTTPBodySink)? = nil,
        _ cancellation: CancellationToken
    ) throws -> HTTPResponse {
        nonisolated(unsafe) let transfer =
            try idle.withLock { $0.transfers.popLast() } ?? HTTPTransfer(configuration)
        // After an error the connection is in an unknown state: it ends with its handle.
        let response = try transfer.perform(request, into: buffer, sink: sink, cancellation)
        idle.withLock { if $0.transfers.count < HTTPConnections.mostIdle { $0.transfers.append(transfer) } }
        return response
    }
}
