import SQLTypes
import Testing

@testable import BulkTransfer

struct S3CredentialTests {
    @Test func filesOfKeys() {
        let text = """
            # a comment
            [default]
            aws_access_key_id = A
            aws_secret_access_key=S=/+
            [profile other]\r
            AWS_ACCESS_KEY_ID = B
            aws_secret_access_key = T
            aws_session_token = U
            [arn:aws:iam::1:role/x]
            aws_access_key_id = C
            [empty]
            """
        #expect(
            S3CredentialFile.parse(text) == [
                "default": S3Credentials(accessKey: "A", secretKey: "S=/+"),
                "other": S3Credentials(accessKey: "B", secretKey: "T", sessionToken: "U"),
            ])
    }

    private func access(_ options: RawCopyOption...) throws -> StorageAccess {
        try StorageAccess(Dictionary(uniqueKeysWithValues: options.map { ($0.name, $0) }))
    }

    @Test func statementsSayWhoTheyAre() throws {
        let keys = S3Credentials(accessKey: "a", secretKey: "s", sessionToken: "t")
        #expect(
            try access(
                RawCopyOption("ACCESS_KEY_ID", [.string("a")]), RawCopyOption("SECRET_ACCESS_KEY", [.string("s")]),
                RawCopyOption("SESSION_TOKEN", [.string("t")])
            ).credentials == keys)
        let text = "aws_access_key_id=a;aws_secret_access_key=s;token=t"
        #expect(try access(RawCopyOption("CREDENTIALS", [.string(text)])).credentials == keys)
        let role = try access(
            RawCopyOption("CREDENTIALS", [.string("aws_iam_role=arn:x")]), RawCopyOption("REGION", [.string("eu-1")]))
        #expect(role.role == "arn:x" && role.region == "eu-1" && role.credentials == nil)
        #expect(try access(RawCopyOption("IAM_ROLE", [.word("default")])).role == "default")
    }

    @Test(
        arguments: [
            ("CREDENTIALS", "x"), ("CREDENTIALS", "aws_access_key_id=a"), ("CREDENTIALS", "token=t"),
            ("CREDENTIALS", "aws_iam_role=a;aws_iam_role=b"), ("REGION", "eu/../x"), ("REGION", ""),
            ("IAM_ROLE", "a\r\nHost: x"), ("ACCESS_KEY_ID", "a"), ("CREDENTIALS", "master_symmetric_key=x"),
        ])
    func whatIsWrongIsRefused(name: String, value: String) {
        #expect(throws: SQLError.self) { try access(RawCopyOption(name, [.string(value)])) }
    }

    @Test(
        arguments: [
            "s3://", "s3:///k", "s3://a b/k", "s3://a..b/k", "s3://.a/k",
            "s3://a/" + String(repeating: "k", count: 1025),
        ])
    func whatIsNoLocationIsRefused(text: String) {
        #expect(throws: SQLError.self) { try S3Location(text) }
    }

    @Test func keysAreTakenAsTheyAre() throws {
        let location = try S3Location("s3://bucket/a//b/../c d%20?x#y")
        #expect(location.key == "a//b/../c d%20?x#y" && location.bucket == "bucket")
        #expect(location.url == "s3://bucket/a//b/../c d%20?x#y")
        #expect(PercentEncoding.encode(location.key, keeping: true) == "a//b/../c%20d%2520%3Fx%23y")
    }
}
