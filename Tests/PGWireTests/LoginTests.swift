import Catalog
import Foundation
import Platform
import SQLTypes
import Testing
import Warehouse

@testable import PGWire

/// Logging in against the users of a warehouse: the client's side of each exchange is played here.
final class LoginTests {
    private let folder: String
    private let warehouse: Warehouse
    private let policy: StartupPolicy

    init() throws {
        var options = WarehouseOptions()
        options.shape = ClusterShape(nodes: 1, slicesPerNode: 1)
        options.synchronize = false
        options.memoryBytes = 64 << 20
        folder = "/tmp/redbarn-login-\(SharedRandom().bytes(8).map { String($0) }.joined())"
        warehouse = try Warehouse(directory: folder, options: options)
        let session = try warehouse.connect()
        try session.query(
            """
            create user ann password 'Secret123';
            create user hashed password 'md5\(PasswordSecret.hexMD5(Array("Secret123hashed".utf8)))';
            create user digested password 'sha256|\(LoginTests.hexSHA256("Secret123salt"))|salt';
            create user closed password disable;
            create user late password 'Secret123' valid until '2020-01-01';
            create user single password 'Secret123' connection limit 1;
            """)
        try session.close()
        policy = StartupPolicy(
            access: .users(UserDirectory(warehouse)), hasDatabase: { [warehouse] in warehouse.hasDatabase(named: $0) },
            offersTLS: true)
    }

    deinit {
        warehouse.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    private static func hexSHA256(_ text: String) -> String {
        Digest.sha256(Array(text.utf8)).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    // MARK: A client

    private enum Outcome: Equatable {
        case accepted
        case refused(String)
        case unclear
    }
    private struct Login: Equatable {
        var outcome: Outcome
        /// The authentication request's code: 3 password, 5 MD5, 10 SASL.
        var asked: Int32
    }

    /// Bodies of the messages that an action sends, types and lengths left out.
    private func bodies(_ actions: [StartupMachine.Action]) -> [(type: UInt8, body: [UInt8])] {
        var result: [(UInt8, [UInt8])] = []
        for case .send(let messages) in actions {
            for message in messages {
                let buffer = TextBuffer()
                message.encode(into: buffer)
                let bytes = buffer.array
                result.append((bytes[0], Array(bytes[5...])))
            }
        }
        return result
    }

    private func packet(_ user: String, _ database: String = "dev") -> Frame {
        Frame(type: 0, body: [0, 3, 0, 0] + Array("user\0\(user)\0database\0\(database)\0\0".utf8))
    }
    private func answer(_ bytes: [UInt8]) -> Frame { Frame(type: UInt8(ascii: "p"), body: bytes) }

    /// redshift_connector takes the empty name at the end of the list for a mechanism that it does not know.
    @Test func listOfMechanismsIsOpenForOneDriver() throws {
        func list(_ parameters: String) throws -> [UInt8] {
            var machine = StartupMachine(policy: policy)
            let start = Array("user\0ann\0database\0dev\0\(parameters)\0".utf8)
            let actions = machine.receive(Frame(type: 0, body: [0, 3, 0, 0] + start), hasMoreBytes: false)
            return try #require(bodies(actions).first).body
        }
        let names = Array("SCRAM-SHA-256\0".utf8)
        #expect(try list("") == [0, 0, 0, 10] + names + [0])
        #expect(try list("driver_version\0Redshift Python Driver 2.1.0\0") == [0, 0, 0, 10] + names)
    }

    /// Goes through whatever the server asks for.
    private func logIn(
        _ user: String, _ password: String, database: String = "dev", encrypted: Bool = true
    ) -> Login {
        var machine = StartupMachine(policy: policy)
        if encrypted { _ = machine.receive(Frame(type: 0, body: [4, 210, 22, 47]), hasMoreBytes: false) }
        var actions = machine.receive(packet(user, database), hasMoreBytes: false)
        guard let request = bodies(actions).first else { return Login(outcome: .unclear, asked: 0) }
        let code = Int32(bitPattern: request.body.prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
        switch code {
        case 3: actions = machine.receive(answer(Array(password.utf8) + [0]), hasMoreBytes: false)
        case 5:
            let inner = PasswordSecret.hexMD5(Array((password + user).utf8))
            let outer = "md5" + PasswordSecret.hexMD5(Array(inner.utf8) + request.body[4..<8])
            actions = machine.receive(answer(Array(outer.utf8) + [0]), hasMoreBytes: false)
        case 10: actions = scram(&machine, password) {}
        default: return Login(outcome: .unclear, asked: code)
        }
        for action in actions { if case .accepted = action { return Login(outcome: .accepted, asked: code) } }
        let text = bodies(actions).last.map { String(decoding: $0.body, as: UTF8.self) } ?? ""
        let message = text.split(separator: "\0").first { $0.hasPrefix("M") }.map { String($0.dropFirst()) }
        return Login(outcome: message.map { .refused($0) } ?? .unclear, asked: code)
    }

    /// - Parameter pause: before the client's last message.
    private func scram(
        _ machine: inout StartupMachine, _ password: String, pause: () throws -> Void
    ) rethrows -> [StartupMachine.Action] {
        let bare = "n=,r=abcdefghijkl"
        let first = Array("n,,\(bare)".utf8)
        let length = [UInt8](repeating: 0, count: 3) + [UInt8(first.count)]
        let reply = machine.receive(answer(Array("SCRAM-SHA-256\0".utf8) + length + first), hasMoreBytes: false)
        guard let challenge = bodies(reply).first.map({ String(decoding: $0.body[4...], as: UTF8.self) }) else {
            return reply
        }
        let fields = challenge.split(separator: ",")
        guard fields.count == 3, let salt = Base64.decode(fields[1].dropFirst(2)),
            let iterations = Int(fields[2].dropFirst(2))
        else { return reply }
        let without = "c=biws,\(fields[0])"
        let signed = Array("\(bare),\(challenge),\(without)".utf8)
        let salted = ScramKeys.saltedPassword(password, salt, iterations)
        let clientKey = ScramKeys.hmac(salted, Array("Client Key".utf8))
        let signature = ScramKeys.hmac(Digest.sha256(clientKey), signed)
        let proof = Base64.encode(zip(clientKey, signature).map { $0 ^ $1 })
        try pause()
        return machine.receive(answer(Array("\(without),p=\(proof)".utf8)), hasMoreBytes: false)
    }

    private func welcome(_ asked: Int32 = 10) -> Login { Login(outcome: .accepted, asked: asked) }
    private func failure(_ user: String, _ asked: Int32 = 10) -> Login {
        Login(outcome: .refused("password authentication failed for user \"\(user)\""), asked: asked)
    }

    // MARK: Cases

    /// An exchange that a client began as one user does not end as another one of the same name.
    @Test func slowClientsAreTheUsersThatTheyWere() throws {
        let session = try warehouse.connect()
        for (password, change) in [
            ("Secret123", "select 1"), ("Secret123", "alter user ann password 'Changed123'"),
            ("Changed123", "drop user ann; create user ann password 'Changed123' createuser"),
        ] {
            var machine = StartupMachine(policy: policy)
            _ = machine.receive(packet("ann"), hasMoreBytes: false)
            _ = try scram(&machine, password) { try session.query(change) }
            #expect(machine.isDone && machine.hasFailedPassword == (change != "select 1"))
        }
        try session.close()
    }

    @Test func passwordsOfTheCatalogLetUsersIn() {
        #expect(logIn("ann", "Secret123") == welcome())
        #expect(logIn("ann", "Secret124") == failure("ann"))
        #expect(logIn("ann", "") == failure("ann"))
    }

    @Test func hashedPasswordsAreAskedForAsTheyAreStored() {
        #expect(logIn("hashed", "Secret123") == welcome(5))
        #expect(logIn("hashed", "secret123") == failure("hashed", 5))
        #expect(logIn("digested", "Secret123") == welcome(3))
        #expect(logIn("digested", "Secret1234") == failure("digested", 3))
        // Never in clear without encryption.
        #expect(logIn("digested", "Secret123", encrypted: false) == failure("digested"))
    }

    @Test func whoCannotLogInLooksLikeAnUnknownUser() {
        for user in ["closed", "late", "nosuch", "dev", "rdsdb"] {
            #expect(logIn(user, "Secret123") == failure(user))
        }
    }

    @Test func changesCountAtOnce() throws {
        let session = try warehouse.connect()
        try session.query("alter user ann password 'Changed123'")
        #expect(logIn("ann", "Secret123") == failure("ann"))
        #expect(logIn("ann", "Changed123") == welcome())
        try session.query("alter user ann valid until '2021-01-01'")
        #expect(logIn("ann", "Changed123") == failure("ann"))
        try session.query("alter user ann valid until 'infinity'")
        #expect(logIn("ann", "Changed123") == welcome())
        try session.query("alter user ann password disable")
        #expect(logIn("ann", "Changed123") == failure("ann"))
        try session.close()
    }

    @Test func connectionsAreLimited() throws {
        let first = try warehouse.connect(user: "single")
        let error = #expect(throws: SQLError.self) { try warehouse.connect(user: "single") }
        #expect(error?.state == "53300")
        #expect(error?.message == "too many connections for user \"single\"")
        try first.close()
        try warehouse.connect(user: "single").close()
        #expect(throws: SQLError.self) { try warehouse.connect(user: "nosuch") }
    }

    @Test func databasesAreFoundByName() throws {
        let unknown = Login(outcome: .refused("database \"sales\" does not exist"), asked: 10)
        #expect(logIn("ann", "Secret123", database: "sales") == unknown)
        // Who has not proved who it is learns nothing of databases.
        #expect(logIn("ann", "wrong", database: "sales") == failure("ann"))
        let session = try warehouse.connect()
        try session.query("create database sales")
        #expect(logIn("ann", "Secret123", database: "sales") == welcome())
        #expect(logIn("ann", "Secret123", database: "template1").outcome != .accepted)
        try session.query("alter database sales rename to sold")
        #expect(logIn("ann", "Secret123", database: "sales") == unknown)
        #expect(logIn("ann", "Secret123", database: "sold") == welcome())
        try session.close()
    }

    @Test func connectionsToDatabasesAreLimited() throws {
        let session = try warehouse.connect()
        try session.query("create database small connection limit 1")
        let first = try warehouse.connect(user: "ann", database: "small")
        let error = #expect(throws: SQLError.self) { try warehouse.connect(user: "single", database: "small") }
        #expect(error?.state == "53300")
        #expect(error?.message == "too many connections for database \"small\"")
        // Superusers come in, and do not take a place.
        let owner = try warehouse.connect(database: "small")
        #expect(try owner.query("select current_database()").text(row: 0, column: 0) == "small")
        try first.close()
        try warehouse.connect(user: "single", database: "small").close()
        try owner.close()
        #expect(throws: SQLError.self) { try warehouse.connect(database: "nowhere") }
        try session.close()
    }

    @Test func sessionsRunInTheirUsersName() throws {
        let session = try warehouse.connect(user: "ann")
        #expect(try session.query("select current_user").text(row: 0, column: 0) == "ann")
        #expect(throws: SQLError.self) { try session.query("set session authorization dev") }
        #expect(throws: SQLError.self) { try session.query("create user x password 'Secret123'") }
        // A user who is dropped while connected can do nothing any more, and who comes after it with the same name is
        // somebody else.
        let owner = try warehouse.connect()
        try owner.query("create table t (a int); grant select on t to ann")
        #expect(try session.query("select count(*) from t").text(row: 0, column: 0) == "0")
        try owner.query("revoke select on t from ann; drop user ann")
        func expectDropped(_ sql: String) {
            let error = #expect(throws: SQLError.self) { try session.query(sql) }
            #expect(error?.state == .undefinedObject && error?.message == "user \"ann\" does not exist")
        }
        expectDropped("select count(*) from t")
        expectDropped("select 1")
        try owner.query("create user ann password 'Secret123' createuser")
        expectDropped("select count(*) from t")
        expectDropped("set session authorization ann")
        expectDropped("begin")
        #expect(throws: SQLError.self) { try session.prepare("select count(*) from t", parameterTypes: []) }
        try session.query("rollback")
        try session.close()
        try owner.close()
    }

    /// The one frame whose answer tells something is known before it is read, and what came of it afterwards.
    @Test func theDecidingAnswerIsKnown() throws {
        for (user, password, isRight) in [("ann", "Secret123", true), ("ann", "wrong", false), ("nosuch", "x", false)] {
            var cleartext = policy
            var directory = UserDirectory(warehouse)
            directory.method = .password
            cleartext.access = .users(directory)
            var machine = StartupMachine(policy: cleartext)
            #expect(machine.awaitedProof == nil)
            _ = machine.receive(packet(user), hasMoreBytes: false)
            #expect(machine.awaitedProof == user && !machine.hasFailedPassword)
            _ = machine.receive(answer(Array(password.utf8) + [0]), hasMoreBytes: false)
            #expect(machine.awaitedProof == nil && machine.hasFailedPassword == !isRight && machine.isDone)
        }
        var scram = StartupMachine(policy: policy)
        _ = scram.receive(packet("ann"), hasMoreBytes: false)
        #expect(scram.awaitedProof == nil && !scram.isDone)
    }

    /// The stored form shows neither the password nor anything that logs in as it stands.
    @Test func passwordsAreNotStored() throws {
        let secret = try #require(warehouse.passwordSecret(of: "ann"))
        guard case .scram(let keys) = secret else {
            Issue.record("a password in clear is stored as a SCRAM verifier")
            return
        }
        #expect(keys.iterations == 4096 && keys.salt.count == 16)
        #expect(!keys.stored.contains("Secret123"))
        #expect(ScramKeys(stored: keys.stored) == keys)
        #expect(logIn("ann", keys.stored) == failure("ann"))
    }

    @Test func userFiles() throws {
        let logins = try UserDirectory.logins(inFile: "# comment\nfiled:simple\ndev:other\r\n\n")
        #expect(logins.map(\.user) == ["filed", "dev"])
        try warehouse.provision(logins)
        #expect(logIn("filed", "simple") == welcome())
        #expect(logIn("dev", "other") == welcome())
        let before = warehouse.passwordSecret(of: "filed").map { "\($0)" }
        try warehouse.provision(logins)
        #expect(warehouse.passwordSecret(of: "filed").map { "\($0)" } == before)
        #expect(throws: SQLError.self) { try UserDirectory.logins(inFile: "noColon") }
    }
}
