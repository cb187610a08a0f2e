import Platform
import SQLTypes
import Testing
import Warehouse

@testable import PGWire

struct ScramTests {
    /// The example exchange of RFC 7677, section 3.
    @Test func exampleOfTheStandard() throws {
        let salt = try #require(Base64.decode("W22ZaJ0SNY7soEsUEjb6gQ=="))
        let keys = ScramKeys(password: "pencil", salt: salt)
        // The server's part of the nonce is text there; here it is the encoding of these bytes.
        let stored = ScramKeys.hmac(ScramKeys.saltedPassword("pencil", salt, 4096), Array("Server Key".utf8))
        #expect(keys.serverKey == stored)
        let message =
            "n=user,r=rOprNGfwEbeRWgbNEkqO,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
            + "s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
        let signature = ScramKeys.hmac(keys.serverKey, Array(message.utf8))
        #expect(Base64.encode(signature) == "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")
    }

    @Test func base64ComesBack() {
        for count in 0..<40 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37) }
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        }
        for text in ["a", "ab==c", "====", "a===", "ab=c", "a b="] { #expect(Base64.decode(text) == nil) }
    }

    @Test func unknownUsersLookLikeKnownOnes() {
        let keys = ScramKeys(password: "secret", salt: SharedRandom().bytes(16))
        let directory = UserDirectory { $0 == "ann" ? .scram(keys) : nil }
        let first = directory.scramKeys("bob")
        #expect(!first.isReal && first.keys == directory.scramKeys("bob").keys)
        #expect(first.keys.salt.count == directory.scramKeys("ann").keys.salt.count)
        #expect(directory.accepts(password: "secret", user: "ann"))
        #expect(!directory.accepts(password: "secret2", user: "ann"))
        #expect(!directory.accepts(password: "", user: "bob"))
    }

    /// RFC 4013: composed, of usual width, without what cannot be seen.
    @Test func passwordsArePrepared() {
        func keys(_ password: String) -> ScramKeys { ScramKeys(password: password, salt: [1], iterations: 1) }
        #expect(keys("Geh\u{65}\u{301}im1") == keys("Geh\u{E9}im1"))
        #expect(keys("\u{FF21}bc\u{AD}1") == keys("Abc1"))
        #expect(keys("a\u{A0}b\u{FB01}") == keys("a bfi"))
        #expect(keys("\u{FF6F}\u{FF76}\u{FF9E}") == keys("\u{30C3}\u{30AC}"))
        #expect(keys("\u{E9}") != keys("e"))
    }
}
