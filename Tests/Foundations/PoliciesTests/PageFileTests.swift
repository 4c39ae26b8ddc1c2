import Foundation
import TestSupport
import Testing

@testable import Policies

@Suite(.timeLimit(.minutes(1))) struct PageFileTests {
    private static let png = Data([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3])

    @Test("an image is accepted if its content matches its file extension") func kinds() throws {
        #expect(try PageFile(name: "a.png", bytes: Self.png).kind.mediaType == "image/png")
        #expect(try PageFile(name: "a.JPEG", bytes: Data([0xff, 0xd8, 0xff])).kind == .jpg)
        #expect(throws: PageFile.Refusal.otherKind) { try PageFile(name: "a.jpg", bytes: Self.png) }
        #expect(throws: PageFile.Refusal.otherKind) { try PageFile(name: "a.webp", bytes: Self.png) }
        #expect(throws: PageFile.Refusal.otherKind) { try PageFile(name: "a.svg", bytes: Data([0xff, 0xfe])) }
        #expect(throws: PageFile.Refusal.name) { try PageFile(name: "a.gif", bytes: Self.png) }
    }

    @Test("a file that cannot be read is not an empty one") func unreadable() {
        // The first page of a process's memory is never mapped.
        #expect(PageFile.contents(of: "/proc/self/mem", upTo: 16) == nil)
    }

    @Test("an image that is too large is rejected") func size() {
        #expect(throws: PageFile.Refusal.tooBig(512_000)) { try PageFile(name: "a.png", bytes: Data(count: 512_001)) }
    }

    @Test(
        "an image or a style sheet with active content or external references is rejected",
        arguments: [
            ("a.svg", "<svg><SCRIPT>alert(1)</SCRIPT></svg>", "<script"), ("a.svg", "<svg onload=\"x\"/>", "onload"),
            ("a.svg", "<svg/onload=x>", "onload"), ("a.svg", "<svg><foreignObject/></svg>", "<foreignobject"),
            ("a.svg", "<!DOCTYPE svg [<!ENTITY a \"b\">]><svg/>", "<!entity"),
            ("a.svg", "<svg><image href=\"//evil.example/a\"/></svg>", "//e"),
            ("a.svg", "<svg><a href=\"JavaScript:alert(1)\"/></svg>", "javascript:"),
            ("a.css", "@import \"a.css\";", "@import"), ("a.css", "body{background:url(a.png)}", "url("),
            ("a.css", "body{background:image('https://evil.example/a')}", "https://e"),
        ]
    )
    func unsafe(_ name: String, _ text: String, _ found: String) {
        #expect(throws: PageFile.Refusal.unsafe(found)) { try PageFile(name: name, bytes: Data(text.utf8)) }
    }

    @Test("an SVG image with a namespace and its own styles is accepted") func drawing() throws {
        let text = "<svg xmlns=\"http://www.w3.org/2000/svg\"><path style=\"fill:red\" d=\"M0 0h1\"/></svg>"
        #expect(try PageFile(name: "a.svg", bytes: Data(text.utf8)).kind == .svg)
    }

    @Test(
        "a file is read only from the policy's own folder",
        arguments: ["../a.png", "/etc/a.png", ".a.png", "b/a.png"]
    )
    func folders(_ name: String) throws {
        let folder = try TemporaryFolder()
        try Self.png.write(to: URL(fileURLWithPath: folder.path("a.png")))
        #expect(try PageFile(name: "a.png", in: folder.path("")).bytes == Self.png)
        #expect(throws: PageFile.Refusal.name) { try PageFile(name: name, in: folder.path("")) }
        #expect(throws: PageFile.Refusal.missing) { try PageFile(name: "b.png", in: folder.path("")) }
    }

    @Test("a named pipe and a folder are rejected without blocking") func pipes() throws {
        let folder = try TemporaryFolder()
        #expect(mkfifo(folder.path("a.png"), 0o600) == 0 && mkfifo(folder.path("a.html"), 0o600) == 0)
        #expect(mkdir(folder.path("b.png"), 0o700) == 0)
        #expect(throws: PageFile.Refusal.missing) { try PageFile(name: "a.png", in: folder.path("")) }
        #expect(throws: PageFile.Refusal.missing) { try PageFile(name: "b.png", in: folder.path("")) }
        #expect(throws: PageTemplate.Refusal.missing) {
            var names: [String] = []
            _ = try PageTemplate(name: "a.html", in: folder.path(""), naming: &names)
        }
    }
}
