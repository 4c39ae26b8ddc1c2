import FlowModel
import Foundation
import HostedPages
import Localization
import OAuth
import Policies
import Testing

@Suite(.timeLimit(.minutes(1))) struct PageBrandTests {
    private func html(_ look: PageLook, language: LanguageTag = .english) throws -> (String, PageBrand) {
        let brand = PageBrand(Policy(id: try PolicyID("b2c_1_a"), kind: .signIn, pages: look))
        let frame = PageFrame(
            brand: brand,
            texts: PageTexts(language),
            assets: "/assets",
            otherLanguages: [.init(.german, address: "?ui_locales=de")]
        )
        return (HostedPage.notice(NoticePage(.backToTerminal)).html(in: frame), brand)
    }

    @Test("a brand without settings needs no file") func preset() throws {
        let (html, brand) = try html(PageLook())
        #expect(brand.assets.isEmpty)
        #expect(html.matches(of: #/rel="stylesheet"/#).count == 1)
    }

    @Test("an accent colour is a separate style sheet after the pages', with a shade for each theme") func accent()
        throws
    {
        let (html, brand) = try html(PageLook(accent: try #require(AccentColour("#ffd400"))))
        let sheet = try #require(brand.assets.first)
        let text = String(decoding: sheet.bytes, as: UTF8.self)
        #expect(text.contains("--accent:#9a7f02;--on-accent:#000000") && text.contains("--accent:#ffd400"))
        let ours = try #require(html.range(of: "/assets/\(PageAsset.sheet.name)"))
        let theirs = try #require(html.range(of: "/assets/\(sheet.name)"))
        #expect(ours.lowerBound < theirs.lowerBound)
    }

    @Test("a logo replaces the letter, and the separate sheet names a background") func pictures()
        throws
    {
        let svg = try PageFile(name: "a.svg", bytes: Data("<svg/>".utf8))
        let (html, brand) = try html(PageLook(logo: svg, background: .picture(svg)))
        let logo = try #require(brand.assets.first { $0.name.hasPrefix("logo-") })
        #expect(html.contains("<img src=\"/assets/\(logo.name)\" alt=\"\">") && !html.contains("class=\"letter\""))
        let background = try #require(brand.assets.first { $0.name.hasPrefix("background-") })
        let sheet = try #require(brand.assets.first { $0.name.hasPrefix("brand-") })
        #expect(String(decoding: sheet.bytes, as: UTF8.self).contains("url(\(background.name))"))
    }

    @Test("a background may be a colour") func colour() throws {
        let (_, brand) = try html(PageLook(background: .colour("#112233")))
        #expect(String(decoding: try #require(brand.assets.first).bytes, as: UTF8.self).contains("--page:#112233"))
    }

    @Test("an operator's template contains the card at its placeholder") func template() throws {
        let template = try PageTemplate(html: "<p>Before</p><div id=\"api\"></div><p>After</p>") {
            _ throws(PageFile.Refusal) in throw .missing
        }
        let (html, _) = try html(PageLook(template: template))
        let places = try ["<p>Before</p>", "<div id=\"api\">", "<main", "</main>", "<footer", "<p>After</p>"]
            .map { try #require(html.range(of: $0)).lowerBound }
        #expect(places == places.sorted())
    }

    @Test("a file's name changes with its content, and only with it") func names() throws {
        let (first, second) = (Data("<svg/>".utf8), Data("<svg></svg>".utf8))
        let names = try [first, first, second].map { bytes in
            let logo = try PageFile(name: "a.svg", bytes: bytes)
            return try #require(try html(PageLook(logo: logo)).1.assets.first).name
        }
        #expect(names[0] == names[1] && names[0] != names[2])
    }
}
