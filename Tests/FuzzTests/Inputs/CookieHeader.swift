import HTTPTypes
import Hummingbird
import NIOCore
import OAuth

@testable import AuthorityWeb
@testable import TablesServer

extension FuzzedInput {
    /// The `Cookie` header of a browser, which may also contain cookies of any other service on the host.
    static let cookies = FuzzedInput(name: "cookies") { bytes in
        let field = String(decoding: bytes, as: UTF8.self)
        let own = "Dk7vq_-1"
        for isSecure in [false, true] {
            let cookies = BrowserCookies(isSecure: isSecure)
            for name in [cookies.session, cookies.flow, cookies.form, cookies.device, cookies.away("m")] {
                let foreign = cookies.values(of: name, in: request("\(field); x=y"))
                try checkValues(foreign)
                guard foreign.count < 4 else { continue }
                let all = cookies.values(of: name, in: request("\(field); \(name)=\(own)"))
                try require(
                    all.map { $0.reveal() } == foreign.map { $0.reveal() } + [own],
                    "another cookie hides the authority's"
                )
            }
            let cookie = SignInCookie(isSecure: isSecure)
            let set = cookie.setting(Secret(own), state: field).split(separator: ";").first.map(String.init) ?? ""
            let foreign = cookie.values(field, in: request("\(field); x=y"))
            try checkValues(foreign)
            guard foreign.count < 4 else { continue }
            let all = cookie.values(field, in: request("\(field); \(set)"))
            try require(all.last?.reveal() == own, "another cookie hides that of a sign-in")
        }
    }

    private static func checkValues(_ values: [Secret]) throws {
        try require(values.count <= 4, "\(values.count) values of one name")
        for value in values {
            let bytes = Array(value.reveal().utf8)
            try require(bytes.count <= 64 * 3, "a value is too long")
            try require(!bytes.contains(UInt8(ascii: ";")), "a value goes beyond its pair")
        }
    }

    private static func request(_ field: String) -> Request {
        var head = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/")
        head.headerFields.append(HTTPField(name: .cookie, value: field))
        return Request(head: head, body: RequestBody(buffer: ByteBuffer()))
    }
}
