import SQLTypes
import Testing

@testable import BulkTransfer

struct XMLScannerTests {
    private func records(_ text: String, _ element: String) throws -> [[String: String]] {
        try XMLScanner.records(Array(text.utf8), of: element)
    }

    @Test func elementsAtAnyDepth() throws {
        let text = """
            <?xml version="1.0"?><!-- a > comment --><n:List xmlns:n="x" note="a>b">
            <Entry><Key>a &amp; b &#228;&#x20AC;</Key>
            <Size>3</Size><Owner><ID>no</ID></Owner></Entry>
            <Entry><Key><![CDATA[<x>&y;]]></Key><Empty/></Entry></n:List>
            """
        #expect(
            try records(text, "Entry") == [["Key": "a & b ä€", "Size": "3"], ["Key": "<x>&y;"]])
        #expect(try records(text, "List").count == 1)
        #expect(try records(text, "Nothing").isEmpty)
        #expect(try records("", "Nothing").isEmpty)
    }

    @Test(
        arguments: [
            "<a>", "<a></b>", "</a>", "<a>&nothing;</a>", "<a>&#99999999;</a>", "<a>&#xD800;</a>", "<>", "<a",
            "<a b='>",
            "<a>&amp</a>",
        ])
    func whatIsNoXMLIsAnError(text: String) {
        #expect(throws: SQLError.self) { try records(text, "a") }
    }

    @Test func depthIsBounded() {
        #expect(throws: SQLError.self) { try records(String(repeating: "<a>", count: 100_000), "b") }
    }

    /// Whatever comes: an error or an answer.
    @Test func randomBytes() {
        var random = SystemRandomNumberGenerator()
        let pieces = [
            "<", ">", "/", "a", "&", ";", "\"", "<a>", "</a>", "<!--", "-->", "<![CDATA[", "]]>", "&#x", "<?", "é",
        ]
        for _ in 0..<5_000 {
            let text = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }
            do { _ = try records(text.joined(), "a") } catch { #expect(error is SQLError) }
        }
    }
}
