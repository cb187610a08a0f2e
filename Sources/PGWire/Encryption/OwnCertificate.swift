import COpenSSL
import Glibc
import SQLTypes

/// A certificate that a server makes for itself: clients that verify are given the file as their trust.
package enum OwnCertificate {
    private static let days = 3650

    /// Writes PEM files that only this user can read.
    /// - Parameter host: where the server is told to listen; its own names and addresses stand in the certificate too.
    package static func make(chain: String, key: String, host: String?) throws {
        let mask = umask(0o077)
        defer { umask(mask) }
        let names = names(with: host).joined(separator: ",")
        if rb_make_certificate(chain, key, names, days) == 1 { return }
        let reason = TLSContext.reason() ?? String(cString: strerror(errno))
        throw SQLError(
            .objectNotInState, "could not make a TLS certificate: \(reason)",
            hint: "Give --tls-cert and --tls-key.")
    }

    /// `DNS:localhost`, `IP:127.0.0.1`, and what else this machine is called.
    static func names(with host: String?) -> [String] {
        var addresses = ["127.0.0.1", "::1"] + interfaceAddresses()
        var hosts = ["localhost"]
        var buffer = [CChar](repeating: 0, count: 256)
        if gethostname(&buffer, buffer.count - 1) == 0 {
            hosts.append(String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
        }
        if let host { if isAddress(host) { addresses.append(host) } else { hosts.append(host) } }
        var result: [String] = []
        for name in hosts.filter(isName).map({ "DNS:" + $0 }) + addresses.filter(isAddress).map({ "IP:" + $0 })
        where !result.contains(name) && result.count < 64 {
            result.append(name)
        }
        return result
    }

    /// Letters of names only: the list of names has a syntax of its own.
    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count < 254
            && text.utf8.allSatisfy {
                ($0 | 0x20) >= 97 && ($0 | 0x20) <= 122 || $0 >= 48 && $0 <= 57 || $0 == 45 || $0 == 46
            }
    }

    private static func isAddress(_ text: String) -> Bool {
        var bytes = in6_addr()
        return inet_pton(AF_INET, text, &bytes) == 1 || inet_pton(AF_INET6, text, &bytes) == 1
    }

    private static func interfaceAddresses() -> [String] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var result: [String] = []
        var next = first
        while let entry = next {
            next = entry.pointee.ifa_next
            guard let address = entry.pointee.ifa_addr else { continue }
            let family = Int32(truncatingIfNeeded: address.pointee.sa_family)
            let size = family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
            guard family == AF_INET || family == AF_INET6 else { continue }
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let code = getnameinfo(address, socklen_t(size), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
            if code == 0 {
                result.append(String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
            }
        }
        // Those with a zone, such as fe80::1%eth0, are no addresses to others.
        return result.filter { !$0.contains("%") }
    }
}
