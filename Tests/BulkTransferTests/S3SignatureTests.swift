import Platform
import SQLTypes
import Testing

@testable import BulkTransfer

/// The examples of AWS: "Signature Calculations for the Authorization Header".
struct S3SignatureTests {
    private let credentials = S3Credentials(
        accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    /// 2013-05-24 00:00:00 UTC.
    private let moment = AWSMoment(wallMicroseconds: 1_369_353_600_000_000)

    private func signature(_ request: S3Signature.Request) -> String {
        let headers = S3Signature.signed(request, credentials, region: "us-east-1", moment: moment)
        let authorization = headers.first { $0.name == "authorization" }?.value ?? ""
        return String(authorization.split(separator: "=").last ?? "")
    }

    @Test func momentsAreWrittenAsRequestsWantThem() {
        #expect(moment.time == "20130524T000000Z")
        #expect(moment.day == "20130524")
        #expect(AWSMoment(wallMicroseconds: 951_782_400_000_000 + 86_399_999_999).time == "20000229T235959Z")
    }

    @Test func getWithARange() {
        let request = S3Signature.Request(
            method: "GET", host: "examplebucket.s3.amazonaws.com", path: "/test.txt", query: [],
            headers: [("range", "bytes=0-9")], payloadHash: HexadecimalText.text(Digest.sha256([])))
        #expect(
            signature(request) == "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
    }

    @Test func put() {
        let request = S3Signature.Request(
            method: "PUT", host: "examplebucket.s3.amazonaws.com",
            path: "/" + PercentEncoding.encode("test$file.text", keeping: true), query: [],
            headers: [("date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY")],
            payloadHash: HexadecimalText.text(Digest.sha256(Array("Welcome to Amazon S3.".utf8))))
        #expect(
            signature(request) == "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd")
    }

    @Test func listWithAQuery() {
        let request = S3Signature.Request(
            method: "GET", host: "examplebucket.s3.amazonaws.com", path: "/",
            query: [("prefix", "J"), ("max-keys", "2")], headers: [],
            payloadHash: HexadecimalText.text(Digest.sha256([])))
        #expect(
            signature(request) == "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7")
    }
}
