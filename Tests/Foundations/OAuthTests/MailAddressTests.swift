import OAuth
import Testing

@Suite(.timeLimit(.minutes(1)))
struct MailAddressTests {
    @Test(
        "a domain beyond ASCII becomes A-labels, and the part before the @ and ASCII domains stay unchanged",
        arguments: [
            ("jo@bücher.de", "jo@xn--bcher-kva.de"), ("Jö@BÜCHER.DE", "Jö@xn--bcher-kva.de"),
            ("jo@bu\u{308}cher.de", "jo@xn--bcher-kva.de"), ("jo@bücher\u{3002}de", "jo@xn--bcher-kva.de"),
            ("jo@faß.de", "jo@xn--fa-hia.de"), ("jo@xn--fa-hia.ü", "jo@xn--fa-hia.xn--tda"),
            ("jo@نامه\u{200C}ای.com", "jo@xn--mgba3gch31f060k.com"), ("Jo@Example.ORG", "Jo@Example.ORG"),
            ("jo@XN--BCHER-KVA.de", "jo@XN--BCHER-KVA.de"), ("jo@xn--ls8h.la", "jo@xn--ls8h.la"), ("ü", "ü"),
        ]
    )
    func ascii(_ text: String, _ address: String) {
        #expect(MailAddress.ascii(text) == address)
    }

    @Test(
        "a domain that is invalid under UTS #46, or that is mapped to other characters than those of names, is rejected",
        arguments: [
            "☕.example", "ü_a.de", "ü℀.de", "ü .de", "-ü.de", "ü..de", "ü.de.", "\u{301}ü.de", "xn--a.ü", "אa.com",
            "x\u{200D}ü.de", "ü\u{0}.de", "ü/x.de", String(repeating: "ü", count: 60) + ".de",
            String(repeating: "ü.", count: 700) + "de",
        ]
    )
    func invalid(_ domain: String) {
        #expect(MailAddress.ascii("jo@\(domain)") == nil)
    }

    @Test(
        "A-labels are shown in Unicode only if both spellings agree",
        arguments: [
            ("Jo@XN--bcher-kva.de", "Jo@bücher.de"), ("jo@sub.xn--fa-hia.de", "jo@sub.faß.de"),
            ("jo@xn--ls8h.la", "jo@xn--ls8h.la"), ("jo@xn--a.de", "jo@xn--a.de"),
            ("jo@xn--xy-e1a.de", "jo@xn--xy-e1a.de"), ("jo@example.org", "jo@example.org"), ("jo", "jo"),
            ("jo@xn--bcher-kva.example", "jo@bücher.example"), ("jo@xn--e1afmkfd.example", "jo@пример.example"),
            ("jo@xn--hxajbheg2az3al.example", "jo@παράδειγμα.example"), ("jo@xn--abc-uc0e.jp", "jo@例abc.jp"),
            ("jo@xn--r8jz45g.jp", "jo@例え.jp"),
        ]
    )
    func shown(_ address: String, _ text: String) {
        #expect(MailAddress.shown(address) == text)
    }

    @Test(
        "a domain with an invisible character, or with letters that can be mistaken for others, is shown as A-labels",
        arguments: [
            // An invisible joiner, a Cyrillic letter among Latin ones, and Cyrillic or Greek letters that look like Latin.
            "xn--mgba3gch31f060k.com", "xn--pple-43d.com", "xn--80ak6aa92e.com", "www.xn--80ak6aa92e.com",
            "xn---1-6kcu8ca51h.com", "xn--n1a1b.com", "xn--mxapclk.com",
            // Greek with Cyrillic, Latin with Armenian, and Latin with a phonetic letter.
            "xn--mxa2xd.com", "xn--abc-8ce.com", "xn--pple-p5b.com",
        ]
    )
    func confusable(_ domain: String) {
        #expect(MailAddress.shown("jo@\(domain)") == "jo@\(domain)")
    }

    @Test("only the part before the @ decides whether an address needs SMTPUTF8") func localPart() {
        #expect(MailAddress.hasASCIILocalPart("jo@bücher.de"))
        #expect(!MailAddress.hasASCIILocalPart("jö@example.org"))
    }
}
