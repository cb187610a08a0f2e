import Glibc
import SQLTypes

/// An address and port of TCP over IPv4 or IPv6. Plain value.
struct SocketAddress: Sendable {
    /// As the system keeps it.
    fileprivate(set) var storage = sockaddr_storage()
    fileprivate(set) var length = socklen_t(MemoryLayout<sockaddr_storage>.size)

    var family: Int32 { Int32(storage.ss_family) }

    /// All that a name stands for.
    static func resolve(host: String, port: Int, isPassive: Bool) throws -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = isPassive ? AI_PASSIVE : 0
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &found)
        guard code == 0 else {
            throw SQLError("08001", "could not translate host name \"\(host)\": \(String(cString: gai_strerror(code)))")
        }
        defer { freeaddrinfo(found) }
        var addresses: [SocketAddress] = []
        var next = found
        while let entry = next {
            if let address = entry.pointee.ai_addr {
                addresses.append(SocketAddress(address, entry.pointee.ai_addrlen))
            }
            next = entry.pointee.ai_next
        }
        return addresses
    }

    private init(_ address: UnsafePointer<sockaddr>, _ length: socklen_t) {
        self.length = min(length, self.length)
        let count = Int(self.length)
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: count))
        }
    }

    /// What a system call says: getsockname, accept.
    init(filledBy call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Void) {
        var length = self.length
        withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, &length) }
        }
        self.length = length
    }

    func with<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    private var names: (host: String, port: String) {
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST)), port = [CChar](repeating: 0, count: 32)
        let code = with {
            getnameinfo(
                $0, $1, &host, socklen_t(host.count), &port, socklen_t(port.count), NI_NUMERICHOST | NI_NUMERICSERV)
        }
        if code != 0 { return ("", "") }
        func text(_ bytes: [CChar]) -> String {
            String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        return (text(host), text(port))
    }

    /// Numeric, without a port.
    var host: String { names.host }
    var port: Int { Int(names.port) ?? 0 }
    var description: String {
        let (host, port) = names
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
