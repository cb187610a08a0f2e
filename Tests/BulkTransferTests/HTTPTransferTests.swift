import Glibc
import Platform
import SQLTypes
import Testing

@testable import BulkTransfer

struct HTTPTransferTests {
    /// A socket that takes connections and says nothing.
    private final class SilentServer {
        let descriptor: Int32
        var port: UInt16 = 0

        init() throws {
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            let size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let bound = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    var length = size
                    return bind(descriptor, address, size) == 0 && listen(descriptor, 4) == 0
                        && getsockname(descriptor, address, &length) == 0
                }
            }
            try #require(bound)
            port = UInt16(bigEndian: address.sin_port)
        }
        deinit { close(descriptor) }
        var request: HTTPRequest {
            HTTPRequest(method: "GET", url: "http://127.0.0.1:\(port)/x", headers: [], body: nil)
        }
    }

    @Test func aConnectionThatStallsIsBroken() throws {
        let server = try SilentServer()
        var configuration = S3Configuration()
        configuration.stallSeconds = 1
        let transfer = try HTTPTransfer(configuration)
        let error = #expect(throws: HTTPBroken.self) {
            _ = try transfer.perform(server.request, into: nil, CancellationToken())
        }
        #expect(error?.isBeforeSending == false)
    }

    @Test func cancellationEndsATransfer() throws {
        let server = try SilentServer()
        let transfer = try HTTPTransfer(S3Configuration())
        let cancellation = CancellationToken()
        try NativeThread.start(name: "cancel") {
            usleep(200_000)
            cancellation.cancel(.userRequest)
        }
        #expect(throws: StatementCancelled.self) { _ = try transfer.perform(server.request, into: nil, cancellation) }
    }

    @Test func nobodyListens() throws {
        // Its socket is closed again at once.
        let request = try SilentServer().request
        let transfer = try HTTPTransfer(S3Configuration())
        let error = #expect(throws: HTTPBroken.self) {
            _ = try transfer.perform(request, into: nil, CancellationToken())
        }
        #expect(error?.isBeforeSending == true)
    }
}
