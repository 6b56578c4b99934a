//! The guard against every spelling of an address that is not public, and against blocking one that is.

use super::*;

/// Spellings of what must not be reached, by the URL's text alone.
const CLOSED: &[&str] = &[
    // loopback
    "http://127.0.0.1/",
    "http://127.0.0.1:80/",
    "https://127.0.0.1:8443/x",
    "http://127.1/",
    "http://127.0.1/",
    "http://127.255.255.254/",
    "http://127.127.127.127/",
    "http://2130706433/",
    "http://017700000001/",
    "http://0x7f000001/",
    "http://0x7F.0.0.1/",
    "http://0x7f.0x0.0x0.0x1/",
    "http://0177.0.0.1/",
    "http://0177.0.0.01/",
    "http://127.0x1/",
    "http://127.0.0x0.1/",
    "http://0x7f.1/",
    "http://0177.1/",
    "http://127.0.0.1./",
    "http://127.1./",
    "http://%31%32%37.0.0.1/",
    "http://127%2e0%2e0%2e1/",
    "http://１２７.０.０.１/",
    "http://127。0。0。1/",
    "http://①②⑦.⓪.⓪.①/",
    "http://127.0.0.1#@example.com/",
    "http://127.0.0.1?@example.com/",
    "http://127.0.0.1\\@example.com/",
    "http:\\\\127.0.0.1/",
    "http:127.0.0.1/",
    "http:/127.0.0.1/",
    "http:////127.0.0.1/",
    "  http://127.0.0.1/  ",
    "HTTP://127.0.0.1/",
    "ht\ntp://127.0.0.1/",
    "http://127.0.\t0.1/",
    "http://12\r\n7.0.0.1/",
    "http://@127.0.0.1/",
    "http://:@127.0.0.1/",
    // names of this machine
    "http://localhost/",
    "http://localhost:11434/",
    "http://LOCALHOST/",
    "http://LocalHost./",
    "http://localhost./",
    "http://localhost../",
    "http://a.localhost/",
    "http://a.b.localhost./",
    "http://example.com.localhost/",
    "http://localhost.localdomain/",
    "http://localhost6/",
    "http://localhost6.localdomain6/",
    "http://ip6-localhost/",
    "http://ip6-loopback/",
    "http://loopback/",
    "http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/",
    "http://ｌｏｃａｌｈｏｓｔ/",
    "http://loc%61lhost/",
    "http://local\u{ad}host/",
    "http://printer.local/",
    "http://nas.lan/",
    "http://router.home.arpa/",
    "http://wiki.intranet/",
    // unspecified and this network
    "http://0.0.0.0/",
    "http://0/",
    "http://0x0/",
    "http://00000000000/",
    "http://0.0.0.0:8080/",
    "http://0.1.2.3/",
    "http://[::]/",
    "http://[0:0:0:0:0:0:0:0]/",
    "http://[::0.0.0.0]/",
    // private
    "http://10.0.0.1/",
    "http://10.255.255.255/",
    "http://10.1/",
    "http://167772161/",
    "http://0xa000001/",
    "http://012.0.0.1/",
    "http://172.16.0.1/",
    "http://172.31.255.255/",
    "http://172.16.1/",
    "http://2886729729/",
    "http://0xac100001/",
    "http://0254.020.0.1/",
    "http://192.168.0.1/",
    "http://192.168.255.255/",
    "http://192.168.257/",
    "http://192.11010049/",
    "http://3232235777/",
    "http://0xc0a80101/",
    "http://0300.0250.1.1/",
    "http://１９２.１６８.１.１/",
    // link-local and metadata
    "http://169.254.169.254/latest/meta-data/",
    "http://169.254.169.254./",
    "http://169.254.0.1/",
    "http://169.254.170.2/v2/credentials",
    "http://169.254.43518/",
    "http://169.16689662/",
    "http://2852039166/",
    "http://0xa9fea9fe/",
    "http://0xa9.0xfe.0xa9.0xfe/",
    "http://0251.0376.0251.0376/",
    "http://0251.254.169.254/",
    "http://168.63.129.16/",
    "http://168.63.33040/",
    "http://0xa83f8110/",
    "http://2822734096/",
    "http://100.100.100.200/",
    "http://192.0.0.192/",
    "http://metadata/",
    "http://metadata.google.internal/",
    "http://metadata.google.internal./",
    "http://METADATA.google.INTERNAL/",
    "http://instance-data.ec2.internal/",
    // carrier-grade NAT
    "http://100.64.0.1/",
    "http://100.127.255.255/",
    "http://1681915905/",
    // protocol, documentation, benchmark ranges
    "http://192.0.0.1/",
    "http://192.0.2.1/",
    "http://192.88.99.1/",
    "http://198.18.0.1/",
    "http://198.19.255.255/",
    "http://198.51.100.7/",
    "http://203.0.113.9/",
    // multicast, reserved, broadcast
    "http://224.0.0.1/",
    "http://239.255.255.250:1900/",
    "http://240.0.0.1/",
    "http://255.255.255.255/",
    "http://4294967295/",
    "http://0xffffffff/",
    // IPv6: loopback, unique local, link-local, site-local, multicast, discard
    "http://[::1]/",
    "http://[::1]:11434/",
    "http://[0:0:0:0:0:0:0:1]/",
    "http://[0000:0000:0000:0000:0000:0000:0000:0001]/",
    "http://[::0001]/",
    "http://[fc00::1]/",
    "http://[fd00:ec2::254]/",
    "http://[fdff:ffff::1]/",
    "http://[FE80::1]/",
    "http://[febf::1]/",
    "http://[fec0::1]/",
    "http://[ff02::1]/",
    "http://[ff0e::1]/",
    "http://[100::1]/",
    "http://[5f00::1]/",
    "http://[4000::1]/",
    // IPv4 inside IPv6: mapped, compatible, translated, NAT64, 6to4, Teredo, ISATAP
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[::FFFF:7F00:0001]/",
    "http://[0:0:0:0:0:ffff:127.0.0.1]/",
    "http://[::ffff:169.254.169.254]/",
    "http://[::ffff:a9fe:a9fe]/",
    "http://[::ffff:10.0.0.1]/",
    "http://[::ffff:8.8.8.8]/",
    "http://[::127.0.0.1]/",
    "http://[::7f00:1]/",
    "http://[::a9fe:a9fe]/",
    "http://[::ffff:0:127.0.0.1]/",
    "http://[::ffff:0:7f00:1]/",
    "http://[64:ff9b::127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[64:ff9b::a9fe:a9fe]/",
    "http://[64:ff9b:1::7f00:1]/",
    "http://[64:ff9b:1:ffff::10.0.0.1]/",
    "http://[2002:7f00:1::]/",
    "http://[2002:7f00:0001::1]/",
    "http://[2002:a9fe:a9fe::]/",
    "http://[2002:c0a8:101::1]/",
    "http://[2001:0:7f00:1::]/",
    "http://[2001::1]/",
    "http://[2001:0000:4136:e378:8000:63bf:3fff:fdd2]/",
    "http://[2001:10::1]/",
    "http://[2001:20::1]/",
    "http://[2001:2::1]/",
    "http://[2001:db8::1]/",
    "http://[3fff::1]/",
    "http://[3ffe::1]/",
    "http://[fe80::5efe:127.0.0.1]/",
    "http://[fe80::0:5efe:7f00:1]/",
    "http://[2a00:1450::5efe:127.0.0.1]/",
    "http://[2a00:1450:1:1:200:5efe:10.0.0.1]/",
    // userinfo and other schemes
    "http://user@example.com/",
    "http://user:pass@example.com/",
    "http://example.com@127.0.0.1/",
    "http://127.0.0.1@example.com/",
    "http://:pass@example.com/",
    "http://%40@example.com/",
    "https://a:b@8.8.8.8/",
    "ftp://example.com/",
    "file:///etc/passwd",
    "file://localhost/etc/passwd",
    "gopher://example.com:70/_x",
    "ws://example.com/",
    "data:text/plain,hello",
    "javascript:alert(1)",
    "unix:/var/run/docker.sock",
    "jar:http://127.0.0.1!/",
    "dict://127.0.0.1:11211/stat",
    "ldap://127.0.0.1/",
    "tftp://127.0.0.1/x",
    "blob:http://127.0.0.1/x",
    "about:blank",
];

/// Public places that must stay reachable.
const OPEN: &[&str] = &[
    "http://example.com/",
    "https://example.com:8443/path?q=1#f",
    "http://EXAMPLE.com./",
    "https://api.openai.com/v1/chat/completions",
    "http://8.8.8.8/",
    "http://1.1.1.1/",
    "http://134744072/",
    "http://9.255.255.255/",
    "http://11.0.0.0/",
    "http://100.63.255.255/",
    "http://100.128.0.0/",
    "http://126.255.255.255/",
    "http://128.0.0.1/",
    "http://168.63.129.15/",
    "http://168.63.129.17/",
    "http://169.253.255.255/",
    "http://169.255.0.0/",
    "http://172.15.255.255/",
    "http://172.32.0.0/",
    "http://192.0.1.1/",
    "http://192.0.3.1/",
    "http://192.31.196.1/",
    "http://192.88.98.1/",
    "http://192.88.100.1/",
    "http://192.167.255.255/",
    "http://192.169.0.0/",
    "http://198.17.255.255/",
    "http://198.20.0.0/",
    "http://198.51.99.1/",
    "http://203.0.112.1/",
    "http://203.0.114.1/",
    "http://223.255.255.255/",
    "http://[2001:200::1]/",
    "http://[2001:4860:4860::8888]/",
    "http://[2001:db7::1]/",
    "http://[2003::1]/",
    "http://[2606:4700:4700::1111]/",
    "http://[2a00:1450:4001:82a::200e]/",
    "http://[2620:fe::fe]/",
    "http://localhost.example.com/",
    "http://notlocalhost/",
    "http://mylocal/",
    "http://internal.example.com/",
    "http://lan.example.org/",
    "http://local.co/",
    "http://127.0.0.1.example.com/",
    "http://10.example.com/",
    "http://bücher.example/",
    "http://xn--bcher-kva.example/",
];

fn decide(text: &str) -> Result<Passage> {
    let url = Url::parse(text).map_err(|e| Error::invalid(e.to_string()))?;
    inspect(&url, &Exceptions::default())
}

#[test]
fn no_spelling_of_a_closed_address_passes() {
    assert!(CLOSED.len() >= 150, "the table has {} spellings", CLOSED.len());
    let passed: Vec<_> = CLOSED.iter().filter(|text| decide(text).is_ok()).collect();
    assert_eq!(passed, Vec::<&&str>::new());
}

#[test]
fn no_public_address_is_blocked() {
    let blocked: Vec<_> = OPEN.iter().filter(|text| decide(text).is_err()).collect();
    assert_eq!(blocked, Vec::<&&str>::new());
}

#[test]
fn no_spelling_is_closed_only_because_it_does_not_parse() {
    // Some cannot be dialled at all; the rest must be refused by a rule.
    let unparsed: Vec<_> = CLOSED.iter().filter(|text| Url::parse(text).is_err()).collect();
    assert!(unparsed.len() <= 4, "{unparsed:?}");
}

#[test]
fn an_exception_opens_its_host_and_port_only() {
    let exceptions = Exceptions::new(["127.0.0.1:11434".parse().unwrap(), "Crm.Local.:443".parse().unwrap()]);
    let decide = |text: &str| inspect(&Url::parse(text).unwrap(), &exceptions);
    assert_eq!(decide("http://127.0.0.1:11434/api/chat").unwrap(), Passage::Excepted);
    assert_eq!(decide("http://2130706433:11434/").unwrap(), Passage::Excepted);
    assert_eq!(decide("https://crm.local/").unwrap(), Passage::Excepted);
    assert_eq!(decide("https://example.com/").unwrap(), Passage::Public);
    assert!(decide("http://127.0.0.1:11435/").is_err());
    assert!(decide("http://127.0.0.2:11434/").is_err());
    assert!(decide("http://crm.local/").is_err());
    assert!(decide("http://user@127.0.0.1:11434/").is_err());
    assert!(decide("ftp://127.0.0.1:11434/").is_err());
}

#[test]
fn an_exception_is_a_host_and_a_port() {
    let no_place = ["", "example.com", ":80", "example.com:", "example.com:99999", "a@b:80", "a/b:80", "http://a:80"];
    let no_name = ["not a host!!", "a!!:80", "*:80", "*.a:80", "a..b:80", "a?b:80", "a#b:80", "a:0", "http://host/"];
    for wrong in no_place.into_iter().chain(no_name) {
        assert!(wrong.parse::<HostPort>().is_err(), "{wrong}");
    }
    assert_eq!("[::1]:8080".parse::<HostPort>().unwrap().to_string(), "[::1]:8080");
    assert_eq!("EXAMPLE.com:443".parse::<HostPort>().unwrap().to_string(), "example.com:443");
}

#[test]
fn every_address_of_a_closed_range_is_closed_at_both_ends() {
    for (base, length) in CLOSED_V4 {
        let last = Ipv4Addr::from_bits(base.to_bits() | u32::MAX.checked_shr(*length).unwrap_or(0));
        assert!(!is_public_v4(*base) && !is_public_v4(last), "{base}/{length}");
    }
    for (base, length) in CLOSED_V6 {
        let last = Ipv6Addr::from_bits(base.to_bits() | (u128::MAX >> length));
        assert!(!is_public_v6(*base) && !is_public_v6(last), "{base}/{length}");
    }
}

#[test]
fn a_refusal_says_what_to_allow_and_is_said_once() {
    let url = Url::parse("https://token.internal/oauth").unwrap();
    let refused = inspect(&url, &Exceptions::default()).unwrap_err();
    let wanted = "'token.internal' is not a public address, so it is not contacted. An administrator can allow \
                  'token.internal:443' in the settings, under outbound exceptions.";
    assert_eq!(refused.message(), wanted);
    assert_eq!(placed(refused, &url).message(), wanted);
    assert_eq!(placed(refusal("token.internal"), &url).message(), wanted);
    assert_eq!(placed(Error::denied("No."), &url).message(), "No.");
}

#[test]
fn no_name_stands_for_an_address_of_the_machines_own_link() {
    for address in
        ["169.254.169.254", "::ffff:169.254.169.254", "fe80::1", "0.0.0.0", "::", "255.255.255.255", "fd00:ec2::254"]
    {
        assert!(is_nameless(address.parse().unwrap()), "{address}");
    }
    for address in ["127.0.0.1", "10.0.0.1", "192.168.1.2", "172.17.0.1", "fd12::1", "::1", "1.1.1.1"] {
        assert!(!is_nameless(address.parse().unwrap()), "{address}");
    }
}
