import Testing

@testable import PGWire

struct RefusedLoginsTests {
    @Test func tellsOfSoManyInAMinute() {
        let refused = RefusedLogins()
        var told = 0
        for _ in 0..<250 where refused.admit(now: 5) != nil { told += 1 }
        #expect(told == 100)
        // The next one tells how many were left out.
        #expect(refused.admit(now: 60_000_000_005) == 150)
        #expect(refused.admit(now: 60_000_000_006) == 0)
    }

    @Test func certificatesNameTheMachine() {
        let names = OwnCertificate.names(with: "db.example.com")
        #expect(names.contains("DNS:localhost") && names.contains("IP:127.0.0.1") && names.contains("IP:::1"))
        #expect(names.contains("DNS:db.example.com"))
        // What has a meaning in the list of names stays out.
        #expect(!OwnCertificate.names(with: "x,DNS:evil").contains { $0.contains("evil") })
        #expect(OwnCertificate.names(with: "192.0.2.7").contains("IP:192.0.2.7"))
    }
}
