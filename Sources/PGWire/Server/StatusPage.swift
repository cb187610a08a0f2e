import Platform
import Synchronization
import Warehouse

/// `/healthz` and `/metrics` over HTTP/1.1: one request a connection, on a thread of its own, within seconds.
enum StatusPage {
    private static let timeoutNanoseconds: Int64 = 10_000_000_000
    private static let largestRequest = 16 << 10

    /// Takes a new connection over; returns at once.
    static func begin(_ descriptor: Int32, _ server: ServerContext) {
        let socket = ClientSocket(owning: descriptor)
        let now = Stopwatch.nanoseconds
        guard let place = server.logins.add(nowNanoseconds: now, close: { socket.stop() }) else {
            return socket.close()
        }
        let body: @Sendable () -> Void = {
            if let request = request(socket, now + timeoutNanoseconds) {
                let isSent = socket.sendAll(answer(request, server), deadlineNanoseconds: now + timeoutNanoseconds)
                if isSent { socket.finish() }
            }
            server.logins.remove(place)
            socket.close()
        }
        do { try NativeThread.start(name: "status", body) } catch {
            server.logins.remove(place)
            socket.close()
        }
    }

    /// The head of a request; nil when none comes in time.
    private static func request(_ socket: ClientSocket, _ deadline: Int64) -> [UInt8]? {
        var head: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4 << 10)
        while head.count < largestRequest {
            guard socket.awaitBytes(deadlineNanoseconds: deadline),
                case .bytes(let count) = buffer.withUnsafeMutableBytes({ socket.receive($0) })
            else { return nil }
            head += buffer[..<count]
            if ends(head) { return head }
        }
        return nil
    }

    /// With the empty line.
    private static func ends(_ head: [UInt8]) -> Bool {
        var line = 0
        for byte in head {
            if byte == UInt8(ascii: "\n") {
                if line == 0 { return true }
                line = 0
            } else if byte != UInt8(ascii: "\r") {
                line += 1
            }
        }
        return false
    }

    private static func answer(_ request: [UInt8], _ server: ServerContext) -> [UInt8] {
        let line = String(
            decoding: request.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[2].hasPrefix("HTTP/1.") else {
            return response("400 Bad Request", "bad request\n")
        }
        guard words[0] == "GET" || words[0] == "HEAD" else {
            return response("405 Method Not Allowed", "only GET and HEAD\n")
        }
        let hasBody = words[0] == "GET"
        switch words[1].split(separator: "?", maxSplits: 1).first {
        case "/healthz": return response("200 OK", "ok\n", hasBody: hasBody)
        case "/metrics":
            let page =
                server.statistics.page + failedLogins(server) + WarehouseMetricsPage.text(server.warehouse.figures())
                + QueueMetricsPage.text(server.warehouse)
            return response("200 OK", page, hasBody: hasBody)
        default: return response("404 Not Found", "not found\n", hasBody: hasBody)
        }
    }

    private static func failedLogins(_ server: ServerContext) -> String {
        "# HELP redbarn_logins_failed_total Wrong passwords.\n# TYPE redbarn_logins_failed_total counter\n"
            + "redbarn_logins_failed_total \(server.refusedLogins.failedPasswords.load(ordering: .relaxed))\n"
    }

    private static func response(_ status: String, _ text: String, hasBody: Bool = true) -> [UInt8] {
        let head = """
            HTTP/1.1 \(status)\r
            content-type: text/plain; version=0.0.4; charset=utf-8\r
            content-length: \(text.utf8.count)\r
            connection: close\r
            \r\n
            """
        return Array(head.utf8) + (hasBody ? Array(text.utf8) : [])
    }
}
